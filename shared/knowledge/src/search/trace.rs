//! What found the results of a search, and what could not help.

use serde::{Serialize, Serializer};

/// Methods of a search, each with the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// Identifiers and words.
    Lexical,
    /// Identifiers, then vectors.
    Dense,
    /// Words and vectors together.
    Hybrid,
    /// What these found, ordered by a model.
    Reranked,
}

impl Arm {
    /// Its name in tables.
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

/// What a model did for a search. As JSON a text: `off`, `used`, `cached`, `failed: why`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Help {
    /// It is not configured, or there was nothing to do.
    #[default]
    Off,
    /// It was asked.
    Used,
    /// Its earlier answer was used.
    Cached,
    /// It gave no answer: the order is the one without it.
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

/// The chunks whose vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// All that can be results: there are few enough.
    All,
    /// The nearest by the index of pgvector, and those that words found.
    Nearest,
    /// Those that words found: there are many, and no index.
    Words,
}

/// How results were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Chunks that words, identifiers and vectors found: at most 200 by words and 200 by vectors.
    pub candidates: usize,
    /// Chunks whose vectors were compared with the question's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Vectors.
    pub dense: Help,
    /// The model that orders.
    pub rerank: Help,
    /// Whether the results are those of the same search a moment ago.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
}
