//! Trace of a search: which methods found the results, and which models could not be used.

use serde::{Serialize, Serializer};

/// Search methods, each of which builds on the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// Identifiers and words.
    Lexical,
    /// Identifiers, then vectors.
    Dense,
    /// Words and vectors together.
    Hybrid,
    /// Results of the others, reranked by a model.
    Reranked,
}

impl Arm {
    /// Returns its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
            Self::Reranked => "reranked",
        }
    }
}

/// Contribution of a model to a search. Its JSON form is a text: `off`, `used`, `cached`, `failed: why`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Help {
    /// It is not configured, or there was nothing to do.
    #[default]
    Off,
    /// It was called.
    Used,
    /// Its cached response was used.
    Cached,
    /// It failed, with this reason. The results are ordered without it.
    Failed(String),
}

impl Serialize for Help {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::Used => serializer.serialize_str("used"),
            Self::Cached => serializer.serialize_str("cached"),
            Self::Failed(reason) => serializer.collect_str(&format_args!("failed: {reason}")),
        }
    }
}

/// Which chunks have their vectors compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// All chunks that can be results, because there are few enough.
    All,
    /// The nearest chunks according to the index of pgvector, and those that words found.
    Nearest,
    /// The chunks that words found, because there are many and no index.
    Words,
}

/// How results were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Number of chunks found by words, identifiers and vectors: at most 200 by words and 200 by vectors.
    pub candidates: usize,
    /// Which chunks had their vectors compared with the question's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Use of vectors.
    pub dense: Help,
    /// Use of the reranker.
    pub rerank: Help,
    /// Whether the results were cached from the same search a moment ago.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}
