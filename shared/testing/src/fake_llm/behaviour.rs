//! Behaviours of the fake provider.

use serde::{Deserialize, Serialize};

use super::{FakeAnswer, SeenRequest};

/// Reaction to a request.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Behaviour {
    /// Answers in the request's format.
    Answer(FakeAnswer),
    /// Answers in an unusual form with the same meaning.
    Odd {
        answer: FakeAnswer,
        /// Number of the oddity, modulo [`super::WireFormat::quirks`].
        quirk: usize,
    },
    /// Fails in the request's format.
    Fail {
        /// HTTP status.
        status: u16,
        /// The provider's code, type or reason. Default: the usual one for the status.
        #[serde(default)]
        code: Option<String>,
        /// The provider's message.
        #[serde(default)]
        message: String,
        /// More headers, e.g. `retry-after`.
        #[serde(default)]
        headers: Vec<(String, String)>,
    },
    /// Sends exactly this.
    Raw {
        /// HTTP status.
        status: u16,
        content_type: String,
        body: String,
        /// More headers; `date` replaces the server's own.
        #[serde(default)]
        headers: Vec<(String, String)>,
    },
    /// Refuses to answer, with status 200.
    Refuse,
    /// Sends an empty envelope, with status 200.
    Empty,
    /// Sends an HTML page with status 200, as proxies do.
    Html,
    /// Sends an answer whose text is not UTF-8.
    InvalidUtf8,
    /// Sends an answer with a text of a given size.
    Huge {
        /// Size of the text.
        bytes: usize,
    },
    /// Never answers.
    Hang,
    /// Answers after the test calls [`super::FakeLlm::release`].
    Held(FakeAnswer),
    /// Sends the answer byte by byte.
    Drip {
        answer: FakeAnswer,
        /// Pause before each byte.
        every_ms: u64,
    },
    /// Streams the answer if the request asks for a stream. Otherwise, sends it when the stream would have ended.
    Stream {
        answer: FakeAnswer,
        /// Number of characters in a piece.
        size: usize,
        /// Pause before each piece.
        every_ms: u64,
        /// Number of pieces after which the connection breaks.
        #[serde(default)]
        cut_after: Option<usize>,
    },
    /// Breaks the connection in the middle of the answer.
    Cut(FakeAnswer),
}

impl Behaviour {
    /// Returns a behaviour that answers with a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Answer(FakeAnswer::text(text))
    }

    /// Returns a behaviour that fails with a status.
    #[must_use]
    pub fn fail(status: u16, message: impl Into<String>) -> Self {
        Self::Fail {
            status,
            code: None,
            message: message.into(),
            headers: Vec::new(),
        }
    }

    /// Returns a behaviour that fails with 429 and a `Retry-After` of this many seconds.
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

/// A behaviour for matching requests; the first matching rule decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// Text that a message must contain.
    #[serde(default)]
    pub contains: Option<String>,
    /// Number of assistant turns in the conversation.
    #[serde(default)]
    pub assistant_turns: Option<usize>,
    /// Model asked for.
    #[serde(default)]
    pub model: Option<String>,
    /// The reaction.
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
