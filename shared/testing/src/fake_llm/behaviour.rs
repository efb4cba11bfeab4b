//! What the fake provider does with a request.

use serde::{Deserialize, Serialize};

use super::{FakeAnswer, SeenRequest};

/// One reaction to one request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Behaviour {
    /// Answer in the request's format.
    Answer(FakeAnswer),
    /// Fail in the request's format.
    Fail {
        /// HTTP status.
        status: u16,
        /// The provider's code, type or reason; default: the usual one of the status.
        #[serde(default)]
        code: Option<String>,
        /// The provider's message.
        #[serde(default)]
        message: String,
        /// More headers, e.g. `retry-after`.
        #[serde(default)]
        headers: Vec<(String, String)>,
    },
    /// Exactly this.
    Raw {
        /// HTTP status.
        status: u16,
        /// Content type.
        content_type: String,
        /// Body.
        body: String,
        /// More headers; `date` replaces the server's own.
        #[serde(default)]
        headers: Vec<(String, String)>,
    },
    /// Refuse to answer, with status 200.
    Refuse,
    /// An envelope with nothing in it, with status 200.
    Empty,
    /// An HTML page with status 200, as proxies send it.
    Html,
    /// An answer whose text is not UTF-8.
    InvalidUtf8,
    /// An answer with a text of that many bytes.
    Huge {
        /// Size of the text.
        bytes: usize,
    },
    /// Never answer.
    Hang,
    /// Send the answer byte by byte.
    Drip {
        /// The answer.
        answer: FakeAnswer,
        /// Pause before each byte.
        every_ms: u64,
    },
    /// Break the connection in the middle of the answer.
    Cut(FakeAnswer),
}

impl Behaviour {
    /// Answer with text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Answer(FakeAnswer::text(text))
    }

    /// Fail with a status.
    #[must_use]
    pub fn fail(status: u16, message: impl Into<String>) -> Self {
        Self::Fail {
            status,
            code: None,
            message: message.into(),
            headers: Vec::new(),
        }
    }

    /// Fail with 429 and a `Retry-After` of that many seconds.
    #[must_use]
    pub fn rate_limited(retry_after_s: u64) -> Self {
        Self::Fail {
            status: 429,
            code: None,
            message: "Rate limit reached".into(),
            headers: vec![("retry-after".into(), retry_after_s.to_string())],
        }
    }
}

/// A behaviour for the requests that fit; the first rule that fits decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// Text that some message holds.
    #[serde(default)]
    pub contains: Option<String>,
    /// How often the model has spoken in the conversation.
    #[serde(default)]
    pub assistant_turns: Option<usize>,
    /// Model asked for.
    #[serde(default)]
    pub model: Option<String>,
    /// What happens then.
    pub behaviour: Behaviour,
}

impl Rule {
    pub(super) fn fits(&self, request: &SeenRequest) -> bool {
        self.contains
            .as_ref()
            .is_none_or(|text| request.contains(text))
            && self
                .assistant_turns
                .is_none_or(|turns| request.assistant_turns() == turns)
            && self
                .model
                .as_ref()
                .is_none_or(|model| *model == request.model)
    }
}
