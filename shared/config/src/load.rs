//! Loads a [`Config`] from a file and an environment, or reports every problem.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::SpendingLimits;
use crate::builtin;
use crate::config::Config;
use crate::context::{Context, Variables};
use crate::problem::{Position, Problem, Problems};
use crate::references::References;
use crate::registry;
use crate::sections::{Definitions, Shared};
use crate::settings::{Environment, HistorySettings, Reader, RunbookSettings, Settings};
use crate::strict::providers::own_verifiers;
use crate::yaml::MAX_BYTES;

/// The file that is read if it exists and no other is configured.
const USUAL_FILE: &str = "config/agents.yaml";

/// Source of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Only the built-in definitions.
    BuiltIn,
    /// A file, which adds to the built-in definitions or overrides them.
    File(PathBuf),
    /// A text, which adds to the built-in definitions or overrides them.
    Text {
        /// Name of the text in problems.
        name: String,
        /// The YAML.
        text: String,
    },
}

impl Source {
    /// Chooses the source: the file of `AGENT_CONFIG_FILE`, or else `config/agents.yaml` in the working directory if it
    /// exists, or else the built-in definitions.
    #[must_use]
    pub fn chosen_by(settings: &Settings) -> Self {
        match &settings.agent_config_file {
            Some(path) => Self::File(path.clone()),
            None if Path::new(USUAL_FILE).is_file() => Self::File(USUAL_FILE.into()),
            None => Self::BuiltIn,
        }
    }

    fn name(&self) -> String {
        match self {
            Self::BuiltIn => "built-in".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Text { name, .. } => name.clone(),
        }
    }

    fn read(&self) -> Result<String, Problems> {
        let refuse = |message: String, hint: &str| Err(whole_file(&self.name(), message, hint));
        let text = match self {
            Self::BuiltIn => return Ok(String::new()),
            Self::Text { text, .. } => text.clone(),
            Self::File(path) => match read_bounded(path) {
                Ok(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => text,
                    Err(_) => return refuse("not UTF-8 text".to_owned(), "save the file as UTF-8"),
                },
                Err(error) => {
                    return refuse(
                        format!("can't be read: {error}"),
                        "set AGENT_CONFIG_FILE to another file",
                    );
                }
            },
        };
        if text.len() > MAX_BYTES {
            return refuse(
                format!("larger than {} KiB", MAX_BYTES / 1024),
                "keep long texts in runbooks",
            );
        }
        Ok(text)
    }
}

/// Reads at most one byte more than is accepted, which is enough to detect that the file is too large.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn whole_file(name: &str, message: String, hint: &str) -> Problems {
    let problem = Problem {
        file: name.to_owned(),
        at: Position::default(),
        message,
        hint: Some(hint.to_owned()),
        snippet: None,
    };
    Problems::new(vec![problem], Vec::new())
}

impl Config {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    ///
    /// Every mistake at once, each with its position and a hint. After a mistake in YAML syntax, only that one.
    pub fn load(source: &Source, env: &Environment) -> Result<Self, Problems> {
        Self::load_with(source, env, Variables::Required)
    }

    /// Like [`Config::load`], for a process in which some variables may be missing.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn load_with(
        source: &Source,
        env: &Environment,
        variables: Variables,
    ) -> Result<Self, Problems> {
        let name = source.name();
        let text = source.read()?;
        let references = References::default();
        let mut definitions = Definitions::default();

        let built_in_text = builtin::yaml(env);
        let built_in =
            Context::new("built-in", &built_in_text, env, variables, &references).built_in();
        definitions.read_source(&built_in)?;
        for provider in builtin::providers(env) {
            definitions.provider_order.push(provider.name.clone());
            definitions
                .providers
                .insert(provider.name.clone(), provider);
        }
        built_in.finish()?;

        let registries = registry::read(env, variables, &references, &mut definitions);
        let context = Context::new(&name, &text, env, variables, &references);
        context.extend(registries);
        let shared = definitions.read_source(&context)?;
        if let Some(knowledge) = &shared.knowledge {
            if let Some(mistake) = knowledge.mistake(&definitions.servers) {
                let hint = "give it `approve: [run]`, and `approve_role: admin` if operators are not enough";
                context.report(Position::default(), mistake, Some(hint.to_owned()));
            }
            // Use separate `References`: the names in this source were already checked where the section mentions them.
            let (source, own) = (knowledge.source(), References::default());
            let chain = Context::new("knowledge", &source, env, variables, &own).built_in();
            definitions.add_knowledge_chain(&chain, knowledge)?;
            chain.finish()?;
        }
        let overrides = environment(&context, &definitions);
        definitions.define_providers(&references);
        definitions.expand_fallbacks(&context);
        references.report(&context);
        let warnings = definitions.warnings(&name);
        // Includes problems with key files that the configuration names.
        context.extend(env.problems());
        context.finish()?;
        let mut config = assemble(
            (name, hash_of(text.as_bytes())),
            definitions,
            shared,
            overrides,
            warnings,
            env,
        );
        config.warnings.extend(own_verifiers(&config));
        env.check()?;
        Ok(config)
    }
}

/// Settings of the environment that override the file.
struct Overrides {
    default_llm_provider: Option<String>,
    history: HistorySettings,
    runbooks: RunbookSettings,
}

fn environment(context: &Context<'_>, definitions: &Definitions) -> Overrides {
    let mut reader = Reader::new(context.env);
    let history = HistorySettings::read(&mut reader);
    let runbooks = RunbookSettings::read(&mut reader);
    let default_llm_provider = context.env.value("DEFAULT_LLM_PROVIDER").map(str::to_owned);
    if let Some(name) = &default_llm_provider
        && !definitions.providers.contains_key(name)
    {
        let known: Vec<&str> = definitions.providers.keys().map(String::as_str).collect();
        reader.problem(
            "`DEFAULT_LLM_PROVIDER` names an unknown LLM provider".to_owned(),
            &crate::suggest::known(name, &known),
        );
    }
    context.extend(reader.finish().0);
    Overrides {
        default_llm_provider,
        history,
        runbooks,
    }
}

/// Returns the SHA-256 of a file's content, in hex, as in [`Config::hash`].
#[must_use]
pub fn hash_of(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn assemble(
    (source, hash): (String, String),
    definitions: Definitions,
    shared: Shared,
    overrides: Overrides,
    warnings: Vec<Problem>,
    env: &Environment,
) -> Config {
    let mut runbooks = shared.runbooks;
    runbooks.timeout = overrides.runbooks.timeout.unwrap_or(runbooks.timeout);
    runbooks.max_bytes = overrides.runbooks.max_bytes.unwrap_or(runbooks.max_bytes);
    runbooks.local_dir = overrides.runbooks.local_dir.unwrap_or(runbooks.local_dir);
    let named = definitions.webhooks.values().flat_map(|source| {
        let runbook = &source.runbook;
        runbook.values.values().chain(&runbook.default).cloned()
    });
    runbooks.named = named.collect();
    let mut retention = shared.retention;
    if let Some(days) = overrides.history.retention_days {
        retention.history = std::time::Duration::from_secs(86_400) * days;
    }
    let chain_of: BTreeMap<String, String> = definitions
        .chains
        .values()
        .flat_map(|chain| {
            chain
                .alert_types
                .iter()
                .map(|kind| (kind.clone(), chain.chain_id.clone()))
        })
        .collect();
    let providers = definitions
        .providers
        .into_iter()
        .map(|(name, provider)| (name, provider.with_key(env)));
    Config {
        source,
        hash,
        log_level: shared.log_level,
        servers: definitions.servers,
        agents: definitions.agents,
        chains: definitions.chains,
        providers: providers.collect(),
        default_llm_provider: overrides
            .default_llm_provider
            .or(shared.default_llm_provider),
        summary_provider: shared.summary_provider,
        default_strategy: shared.default_strategy,
        webhooks: definitions.webhooks,
        notifications: definitions.notifications,
        limits: shared.limits,
        alert_masking: shared.alert_masking,
        guardrails: shared.guardrails,
        knowledge: shared.knowledge,
        prices: shared.prices,
        spending: SpendingLimits {
            fleet: shared.spending,
            chains: definitions.chain_spending,
        },
        holds: definitions.chain_holds,
        suppressions: definitions.chain_suppressions,
        retention,
        approvals: shared.approvals,
        runbooks,
        warnings,
        chain_of,
        provider_order: definitions.provider_order,
    }
}
