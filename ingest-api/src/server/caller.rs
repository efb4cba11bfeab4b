//! The caller of a request and its headers.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use tarsy_intake::Sender;

use crate::access::Actor;
use crate::problem::{FieldError, Problem};

/// Headers in which identity proxies name the user. The first one that is set wins.
const AUTHOR_HEADERS: [&str; 3] = ["x-forwarded-user", "x-forwarded-email", "x-remote-user"];
const LONGEST: usize = 255;

/// Caller of a request with its headers.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) author: String,
    pub(crate) traceparent: Option<String>,
    idempotency_key: Option<String>,
}

/// Returns the user that an identity proxy forwards. Any client can set these headers, so they
/// count only if [`crate::access::Authenticator`] allows it.
pub(crate) fn forwarded_user(headers: &HeaderMap) -> Option<String> {
    let mut named = AUTHOR_HEADERS.iter().filter_map(|name| text(headers, name));
    let user = named.find(|user| !user.is_empty())?;
    Some(user.chars().take(LONGEST).collect())
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

impl Caller {
    fn from_headers(headers: &HeaderMap, actor: &Actor) -> Self {
        Self {
            author: actor.name().to_owned(),
            traceparent: tarsy_telemetry::current_traceparent()
                .or_else(|| text(headers, "traceparent").filter(|t| is_traceparent(t))),
            idempotency_key: text(headers, "idempotency-key"),
        }
    }

    /// Converts the caller to the sender of an alert.
    ///
    /// # Errors
    ///
    /// [`Problem::InvalidParameter`] if the idempotency key is invalid.
    pub(crate) fn sender(self) -> Result<Sender, Problem> {
        Ok(Sender {
            idempotency_key: self.scoped_key()?,
            author: self.author,
            traceparent: self.traceparent,
        })
    }

    /// Returns the idempotency key with a prefix for the sender, so that senders can't collide.
    fn scoped_key(&self) -> Result<Option<String>, Problem> {
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

/// Returns whether a text is a W3C trace context of version 00. Others are dropped.
fn is_traceparent(text: &str) -> bool {
    let is_hex = |part: &str, length| {
        part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let parts: Vec<_> = text.split('-').collect();
    matches!(parts[..], ["00", trace, span, flags] if is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let actor = Actor::from_request_parts(parts, state).await?;
        Ok(Self::from_headers(&parts.headers, &actor))
    }
}
