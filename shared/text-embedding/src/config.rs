//! Configuration of a model: `config.json`, and `sentence_bert_config.json` and `1_Pooling/config.json` if they exist.

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Largest configuration file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Sizes of a model.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    model_type: String,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    pub(crate) hidden_size: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) vocab_size: usize,
    pub(crate) max_position_embeddings: usize,
    pub(crate) type_vocab_size: usize,
    pub(crate) layer_norm_eps: f32,
    /// Maximum number of tokens of a text, including its start and end tokens.
    #[serde(skip)]
    pub(crate) max_tokens: usize,
}

#[derive(Deserialize)]
struct Sentences {
    max_seq_length: usize,
}

#[derive(Deserialize)]
struct Pooling {
    pooling_mode_mean_tokens: bool,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// Reads and checks the configuration of a folder.
pub(crate) fn read(folder: &Path) -> Result<Config> {
    let path = folder.join("config.json");
    let mut config: Config = required(&path)?;
    for (what, found, supported) in [
        ("model_type", &config.model_type, "bert"),
        ("hidden_act", &config.hidden_act, "gelu"),
        (
            "position_embedding_type",
            &config.position_embedding_type,
            "absolute",
        ),
    ] {
        if found != supported {
            let found = found.clone();
            return Err(Error::Unsupported {
                path,
                what,
                found,
                supported,
            });
        }
    }
    for (name, size, most) in [
        ("hidden_size", config.hidden_size, 4_096),
        ("intermediate_size", config.intermediate_size, 16_384),
        ("num_attention_heads", config.num_attention_heads, 256),
        ("num_hidden_layers", config.num_hidden_layers, 48),
        ("vocab_size", config.vocab_size, 1_000_000),
        (
            "max_position_embeddings",
            config.max_position_embeddings,
            8_192,
        ),
        ("type_vocab_size", config.type_vocab_size, 16),
    ] {
        if !(1..=most).contains(&size) {
            let reason = format!("`{name}` is {size}, possible are 1 to {most}");
            return Err(Error::invalid(path, reason));
        }
    }
    if !config
        .hidden_size
        .is_multiple_of(config.num_attention_heads)
    {
        let reason = "`hidden_size` is no multiple of `num_attention_heads`";
        return Err(Error::invalid(path, reason));
    }
    if !(config.layer_norm_eps >= 0.0 && config.layer_norm_eps < 1.0) {
        return Err(Error::invalid(
            path,
            "`layer_norm_eps` is not between 0 and 1",
        ));
    }
    let pooling = folder.join("1_Pooling/config.json");
    if let Some(Pooling {
        pooling_mode_mean_tokens: false,
    }) = optional(&pooling)?
    {
        return Err(Error::Unsupported {
            path: pooling,
            what: "pooling_mode_mean_tokens",
            found: "false".to_owned(),
            supported: "true",
        });
    }
    let sentences: Option<Sentences> = optional(&folder.join("sentence_bert_config.json"))?;
    let most = config.max_position_embeddings;
    let wanted = sentences.map_or(most, |sentences| sentences.max_seq_length);
    // The start token, the end token, and at least one token between them.
    config.max_tokens = wanted.clamp(3, most.max(3));
    Ok(config)
}

/// Reads a JSON file that must exist.
pub(crate) fn required<T: DeserializeOwned>(path: &Path) -> Result<T> {
    parse(path, &bounded(path, MAX_BYTES)?)
}

fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match bounded(path, MAX_BYTES) {
        Ok(bytes) => parse(path, &bytes).map(Some),
        Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Error::invalid(path, error.to_string()))
}

/// Returns the content of a file of at most `most` bytes.
pub(crate) fn bounded(path: &Path, most: u64) -> Result<Vec<u8>> {
    let size = fs::metadata(path).map_err(Error::read(path))?.len();
    if size > most {
        let reason = format!("{size} bytes, at most {most} are read");
        return Err(Error::invalid(path, reason));
    }
    fs::read(path).map_err(Error::read(path))
}
