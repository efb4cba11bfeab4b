//! `WordPiece`: splits words into the longest pieces in the vocabulary.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::config::{Config, bounded, parse};
use crate::error::{Error, Result};
use crate::words;

/// Largest vocabulary file, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Longest word, in characters. Longer words are mapped to the unknown token.
const MAX_CHARACTERS: usize = 100;
/// Prefix of a piece that continues a word.
const GOES_ON: &str = "##";

#[derive(Debug)]
pub(crate) struct Tokenizer {
    vocabulary: HashMap<String, u32>,
    /// Ids of tokens that are punctuation.
    punctuation: HashSet<u32>,
    is_lower: bool,
    start: u32,
    end: u32,
    unknown: u32,
    max_tokens: usize,
}

/// The part of `tokenizer.json` that is needed.
#[derive(Deserialize)]
struct Description {
    model: Model,
    normalizer: Option<Normalizer>,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: HashMap<String, u32>,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(default = "yes")]
    lowercase: bool,
}

const fn yes() -> bool {
    true
}

impl Tokenizer {
    /// Reads `tokenizer.json`, or else `vocab.txt`, which is assumed to be of a model that ignores case.
    pub(crate) fn read(folder: &Path, config: &Config) -> Result<Self> {
        let path = folder.join("tokenizer.json");
        match bounded(&path, MAX_BYTES) {
            Ok(bytes) => {
                let description: Description = parse(&path, &bytes)?;
                let kind = description.model.kind.unwrap_or_default();
                if kind != "WordPiece" {
                    return Err(Error::Unsupported {
                        path,
                        what: "model.type",
                        found: kind,
                        supported: "WordPiece",
                    });
                }
                let is_lower = description.normalizer.is_none_or(|one| one.lowercase);
                Self::new(&path, description.model.vocab, is_lower, config)
            }
            Err(Error::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let path = folder.join("vocab.txt");
                let text = String::from_utf8(bounded(&path, MAX_BYTES)?)
                    .map_err(|_| Error::invalid(&path, "not UTF-8"))?;
                let words = text.lines().map(str::to_owned).zip(0..);
                Self::new(&path, words.collect(), true, config)
            }
            Err(error) => Err(error),
        }
    }

    fn new(
        path: &Path,
        vocabulary: HashMap<String, u32>,
        is_lower: bool,
        config: &Config,
    ) -> Result<Self> {
        let most = vocabulary.values().max().copied().unwrap_or(0);
        if usize::try_from(most).is_ok_and(|most| most >= config.vocab_size) {
            let reason = format!("id {most} of a token, the model has {}", config.vocab_size);
            return Err(Error::invalid(path, reason));
        }
        let special = |name: &str| {
            let id = vocabulary.get(name).copied();
            id.ok_or_else(|| Error::invalid(path, format!("no token `{name}`")))
        };
        Ok(Self {
            is_lower,
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            unknown: special("[UNK]")?,
            max_tokens: config.max_tokens,
            punctuation: { vocabulary.iter() }
                .filter(|(token, _)| token.chars().all(words::is_punctuation))
                .map(|(_, id)| *id)
                .collect(),
            vocabulary,
        })
    }

    /// Returns the ids of a text, truncated to the model's maximum. Names of special tokens in a text are treated like
    /// any other words.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let most = self.max_tokens - 1;
        let mut ids = vec![self.start];
        words::each(text, self.is_lower, |word| {
            self.pieces(word, &mut ids);
            ids.len() < most
        });
        ids.truncate(most);
        ids.push(self.end);
        ids
    }

    /// Whether a token is the start or the end token, or punctuation.
    pub(crate) fn is_mark(&self, id: u32) -> bool {
        id == self.start || id == self.end || self.punctuation.contains(&id)
    }

    fn pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.chars().count() > MAX_CHARACTERS {
            ids.push(self.unknown);
            return;
        }
        let (mut rest, mut piece) = (word, String::new());
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() {
                ""
            } else {
                GOES_ON
            };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let longest = { ends }.find_map(|end| {
                piece.clear();
                piece.push_str(prefix);
                piece.push_str(rest.get(..end)?);
                Some((*self.vocabulary.get(&piece)?, rest.get(end..)?))
            });
            let Some((id, after)) = longest else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = after;
        }
    }
}
