//! Options for the models of search: vectors and reranking.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use tarsy_config::Environment;
use tarsy_knowledge::{Embedder, EndpointConfig, Models, Reranker};

/// Search models. Without them, search uses only words and identifiers.
#[derive(clap::Args)]
pub(crate) struct ModelOptions {
    /// OpenAI-compatible embedding endpoint, e.g. Ollama's /v1/embeddings
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_EMBED_URL",
        value_name = "URL"
    )]
    embed_url: Option<String>,
    /// Embedding model
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_EMBED_MODEL",
        value_name = "NAME"
    )]
    embed_model: Option<String>,
    /// Directory of a local embedding model such as all-MiniLM-L6-v2, instead of an endpoint
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_EMBED_PATH",
        value_name = "FOLDER"
    )]
    embed_path: Option<OsString>,
    /// Rerank endpoint (Cohere/Jina API), e.g. TEI's /v1/rerank
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_RERANK_URL",
        value_name = "URL"
    )]
    rerank_url: Option<String>,
    /// Rerank model
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_RERANK_MODEL",
        value_name = "NAME"
    )]
    rerank_model: Option<String>,
}

impl std::fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // URLs may contain credentials.
        f.debug_struct("ModelOptions")
            .field("embed_model", &self.embed_model)
            .field("rerank_model", &self.rerank_model)
            .finish_non_exhaustive()
    }
}

impl ModelOptions {
    /// Returns the configured models.
    pub(crate) fn models(&self) -> Result<Models> {
        let reranker = endpoint(
            self.rerank_url.as_ref(),
            self.rerank_model.as_ref(),
            "TARSY_KNOWLEDGE_RERANK",
        )?;
        let reranker = reranker.map(|config| Reranker::new("TARSY_KNOWLEDGE_RERANK_URL", &config));
        Ok(Models {
            embedder: self.embedder()?,
            reranker: reranker.transpose()?,
        })
    }

    /// Returns the model of vectors, if one is configured. A local model is loaded here.
    pub(crate) fn embedder(&self) -> Result<Option<Embedder>> {
        let folder = self.embed_path.as_ref();
        // An empty variable counts as not set.
        if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
            if self.embed_url.as_ref().is_some_and(|url| !url.is_empty()) {
                bail!("set TARSY_KNOWLEDGE_EMBED_URL or TARSY_KNOWLEDGE_EMBED_PATH, not both");
            }
            let name = self.embed_model.as_deref().filter(|name| !name.is_empty());
            let embedder =
                Embedder::local(Path::new(folder), name).context("TARSY_KNOWLEDGE_EMBED_PATH")?;
            return Ok(Some(embedder));
        }
        let config = endpoint(
            self.embed_url.as_ref(),
            self.embed_model.as_ref(),
            "TARSY_KNOWLEDGE_EMBED",
        )?;
        let embedder = config.map(|config| Embedder::new("TARSY_KNOWLEDGE_EMBED_URL", &config));
        Ok(embedder.transpose()?)
    }
}

/// Returns the endpoint of a URL and a model. Keys are read only from environment variables.
fn endpoint(
    url: Option<&String>,
    model: Option<&String>,
    variables: &str,
) -> Result<Option<EndpointConfig>> {
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    let model = model.filter(|model| !model.is_empty());
    let model = model.with_context(|| format!("{variables}_URL needs {variables}_MODEL"))?;
    let name = format!("{variables}_KEY");
    if let Err(std::env::VarError::NotUnicode(_)) = std::env::var(&name) {
        bail!("{name} is not UTF-8");
    }
    let environment = Environment::of_process();
    let key = environment.get(&name).filter(|key| !key.is_empty());
    environment.check()?;
    // The endpoint may use TLS.
    tarsy_telemetry::install_crypto();
    Ok(Some(EndpointConfig {
        url: url.clone(),
        model: model.clone(),
        key: key.map(str::to_owned),
    }))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::ModelOptions;

    #[derive(clap::Parser)]
    struct Options {
        #[command(flatten)]
        models: ModelOptions,
    }

    fn embedder(arguments: &[&str]) -> Result<bool, String> {
        let arguments = ["tarsy"].iter().chain(arguments);
        let options = Options::try_parse_from(arguments).map_err(|error| error.to_string())?;
        let embedder = options.models.embedder();
        let embedder = embedder.map_err(|error| format!("{error:#}"))?;
        Ok(embedder.is_some())
    }

    #[test]
    fn vectors_come_from_an_endpoint_or_a_folder_or_nowhere() {
        let url = "--embed-url=http://localhost:1/v1/embeddings";
        assert_eq!(embedder(&[]), Ok(false));
        assert_eq!(embedder(&["--embed-path=", "--embed-url="]), Ok(false));
        assert_eq!(
            embedder(&[url, "--embed-model=m", "--embed-path="]),
            Ok(true)
        );
        let wrong = |arguments: &[&str], reason: &str| {
            let error = embedder(arguments).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        };
        wrong(&[url], "TARSY_KNOWLEDGE_EMBED_MODEL");
        wrong(&[url, "--embed-model=m", "--embed-path=/"], "not both");
        wrong(&["--embed-path=/nowhere", "--embed-model=m"], "config.json");
    }
}
