//! Who asks, and what they say about their request.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::problem::{FieldError, Problem};

/// Author of a request that names none.
const ANONYMOUS: &str = "api-client";
/// Headers of identity proxies, the first one set wins.
const AUTHOR_HEADERS: [&str; 3] = ["x-forwarded-user", "x-forwarded-email", "x-remote-user"];
const LONGEST: usize = 255;

/// The sender of a request, as far as its headers tell.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) author: String,
    pub(crate) traceparent: Option<String>,
    idempotency_key: Option<String>,
}

impl Caller {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let text = |name: &str| {
            headers
                .get(name)
                .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        };
        let author = AUTHOR_HEADERS
            .iter()
            .find_map(|name| text(name).filter(|author| !author.is_empty()));
        let author = author.map_or_else(
            || ANONYMOUS.to_owned(),
            |author| author.chars().take(LONGEST).collect(),
        );
        Self {
            author,
            traceparent: tarsy_telemetry::current_traceparent()
                .or_else(|| text("traceparent").filter(|t| is_traceparent(t))),
            idempotency_key: text("idempotency-key"),
        }
    }

    /// The sender's idempotency key, which means nothing to other senders.
    pub(crate) fn scoped_key(&self) -> Result<Option<String>, Problem> {
        let Some(key) = &self.idempotency_key else {
            return Ok(None);
        };
        if key.is_empty()
            || key.len() > LONGEST
            || !key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        {
            let detail = format!("must be 1 to {LONGEST} printable ASCII characters");
            return Err(Problem::InvalidParameter(FieldError::new(
                "Idempotency-Key",
                detail,
            )));
        }
        Ok(Some(format!("api:{}:{key}", self.author)))
    }
}

/// Version 00 of W3C trace context; what else there is, is not ours to hand on.
fn is_traceparent(text: &str) -> bool {
    let is_hex = |part: &str, length| {
        part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let parts: Vec<_> = text.split('-').collect();
    matches!(parts[..], ["00", trace, span, flags] if is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}
