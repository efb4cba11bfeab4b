//! Request bodies within the size limit.

use std::error::Error;

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::LengthLimitError;

use crate::access::Actor;
use crate::problem::Problem;
use crate::rejected::Witness;
use crate::serve::TooSlow;
use crate::state::AppState;

/// Body with a JSON content type, within the limit.
#[derive(Debug)]
pub(crate) struct JsonBytes(pub(crate) Bytes);

impl JsonBytes {
    /// The body as text; JSON is UTF-8 (RFC 8259).
    pub(crate) fn text(&self) -> Result<&str, Problem> {
        std::str::from_utf8(&self.0).map_err(|error| {
            let before = self.0.get(..error.valid_up_to()).unwrap_or_default();
            Problem::MalformedJson {
                line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
                column: 1 + before
                    .iter()
                    .rev()
                    .take_while(|&&byte| byte != b'\n')
                    .count(),
                detail: "the body is not UTF-8".to_owned(),
            }
        })
    }
}

impl FromRequest<AppState> for JsonBytes {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        check_type(request.headers())?;
        Ok(Self(read(request, state).await?))
    }
}

/// Body of any content type, within the limit.
#[derive(Debug)]
pub(crate) struct AnyBytes {
    pub(crate) bytes: Bytes,
    /// The problem, if the content type is not JSON.
    pub(crate) is_json: Result<(), Problem>,
    /// Whether the content type is a form.
    pub(crate) is_form: bool,
}

impl AnyBytes {
    /// Describes `bytes` by the content type of these headers.
    pub(crate) fn said_to_be(headers: &HeaderMap, bytes: Bytes) -> Self {
        Self {
            bytes,
            is_json: check_type(headers),
            is_form: essence(content_type(headers)) == FORM,
        }
    }
}

impl FromRequest<AppState> for AnyBytes {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let described = Self::said_to_be(request.headers(), Bytes::new());
        let bytes = read(request, state).await?;
        Ok(Self { bytes, ..described })
    }
}

async fn read(request: Request, state: &AppState) -> Result<Bytes, Problem> {
    let limit = state.ingest.body_limit_bytes;
    if announced(request.headers()).is_some_and(|length| length > limit) {
        return Err(Problem::BodyTooLarge(limit));
    }
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, limit).await.map_err(|error| {
        if is_caused_by::<TooSlow>(&error) {
            Problem::BodyTooSlow
        } else if is_caused_by::<LengthLimitError>(&error) {
            Problem::BodyTooLarge(limit)
        } else {
            Problem::BodyInterrupted(error)
        }
    })?;
    if let Some(witness) = parts.extensions.get::<Witness>() {
        let author = parts.extensions.get::<Actor>();
        witness.saw(parts.headers, author, bytes.clone());
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::EmptyBody);
    }
    Ok(bytes)
}

fn is_caused_by<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(<dyn Error>::is::<E>)
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

const FORM: &str = "application/x-www-form-urlencoded";

fn content_type(headers: &HeaderMap) -> &str {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Rejects a missing content type too: browsers send such requests cross-origin without a preflight.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let found = content_type(headers);
    let essence = essence(found);
    if essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
    {
        Ok(())
    } else {
        Err(Problem::UnsupportedMediaType(
            found.chars().take(100).collect(),
        ))
    }
}
