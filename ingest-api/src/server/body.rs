//! Request bodies within the size limit.

mod encoding;
mod large;

use std::error::Error;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, LengthLimitError};

use crate::access::Actor;
use crate::alerts::rejected::Witness;
use crate::problem::Problem;
use crate::server::serve::TooSlow;
use crate::server::state::AppState;

use encoding::Encoding;
pub(crate) use large::{LargeBodies, LargeBody};

/// Maximum number of bytes, and maximum time, for reading and discarding a body that is too large.
/// If the connection closed while a client still sends, the client would see only that, and never
/// the response (RFC 9112, 9.6).
const DRAINED_BYTES: usize = 32 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// Body with a JSON content type, within the limit.
#[derive(Debug)]
pub(crate) struct JsonBytes(pub(crate) Bytes);

impl JsonBytes {
    /// Returns the body as text; JSON is UTF-8 (RFC 8259). Skips a byte order mark, which some clients write.
    pub(crate) fn text(&self) -> Result<&str, Problem> {
        let bytes = self.0.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.0);
        std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
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
        let limit = state.ingest.body_limit_bytes;
        Ok(Self(read(request, state, limit).await?.bytes))
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
    /// Creates a body from `bytes` and the content type of these headers.
    pub(crate) fn declared(headers: &HeaderMap, bytes: Bytes) -> Self {
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
        let described = Self::declared(request.headers(), Bytes::new());
        let limit = state.ingest.body_limit_bytes;
        let bytes = read(request, state, limit).await?.bytes;
        Ok(Self { bytes, ..described })
    }
}

/// Body of a webhook. Its limit is higher, because Alertmanager never resends a group after a 413.
#[derive(Debug)]
pub(crate) struct WebhookBytes {
    pub(crate) body: AnyBytes,
    /// The compressed body as it was sent, if it was compressed.
    pub(crate) compressed: Option<Bytes>,
}

impl FromRequest<AppState> for WebhookBytes {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let described = AnyBytes::declared(request.headers(), Bytes::new());
        let read = read(request, state, state.ingest.webhook_body_limit_bytes).await?;
        let bytes = read.bytes;
        Ok(Self {
            body: AnyBytes { bytes, ..described },
            compressed: read.compressed,
        })
    }
}

struct Read {
    bytes: Bytes,
    /// The compressed body, if it was compressed.
    compressed: Option<Bytes>,
}

/// Reads a body of at most `limit` bytes, before and after decompression. A body that may exceed
/// the ordinary limit counts as a large body until its request is answered.
async fn read(request: Request, state: &AppState, limit: usize) -> Result<Read, Problem> {
    let (parts, mut body) = request.into_parts();
    if announced(&parts.headers).is_some_and(|length| length > limit) {
        // A client that sends `Expect: 100-continue` has sent no body yet. Reading would make it begin.
        if !parts.headers.contains_key(header::EXPECT) {
            drain(&mut body).await;
        }
        return Err(Problem::BodyTooLarge(limit));
    }
    let encoding = Encoding::read(&parts.headers)?;
    let ordinary = state.ingest.body_limit_bytes.min(limit);
    let (sent, mut large) = if ordinary == limit {
        let sent = axum::body::to_bytes(body, limit).await;
        (sent.map_err(|error| unread(error, limit))?, None)
    } else {
        let collected = collect(&mut body, &state.large_bodies, ordinary, limit).await;
        if let Err(Problem::BodyTooLarge(_) | Problem::TooManyLargeBodies) = collected {
            drain(&mut body).await;
        }
        collected?
    };
    let (bytes, compressed) = match encoding {
        Encoding::Identity => (sent, None),
        Encoding::Gzip => {
            if large.is_none() && ordinary < limit {
                large = Some(state.large_bodies.admit().await?);
            }
            (encoding::decompress(sent.clone(), limit).await?, Some(sent))
        }
    };
    if let Some(witness) = parts.extensions.get::<Witness>() {
        let author = parts.extensions.get::<Actor>();
        witness.record_request(parts.headers, author, bytes.clone(), large);
    }
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::EmptyBody);
    }
    Ok(Read { bytes, compressed })
}

/// Reads a body. Before it exceeds `ordinary` bytes, it waits for a permit for large bodies. Then
/// the rest must arrive before the permit's deadline.
async fn collect(
    body: &mut Body,
    large_bodies: &LargeBodies,
    ordinary: usize,
    limit: usize,
) -> Result<(Bytes, Option<LargeBody>), Problem> {
    let mut bytes = BytesMut::new();
    let mut large: Option<LargeBody> = None;
    loop {
        let frame = match &large {
            Some(large) => tokio::time::timeout_at(large.due(), body.frame())
                .await
                .map_err(|_| Problem::BodyTooSlow)?,
            None => body.frame().await,
        };
        let Some(frame) = frame else {
            return Ok((bytes.freeze(), large));
        };
        let frame = frame.map_err(|error| unread(error, limit))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = bytes.len() + data.len();
        if length > limit {
            return Err(Problem::BodyTooLarge(limit));
        }
        if length > ordinary && large.is_none() {
            large = Some(large_bodies.admit().await?);
        }
        bytes.extend_from_slice(&data);
    }
}

/// Reads the rest of a body and discards it.
async fn drain(body: &mut Body) {
    let reading = async {
        let mut left = DRAINED_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Limits how long a slow sender waits for its response.
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

fn unread(error: axum::Error, limit: usize) -> Problem {
    if is_caused_by::<TooSlow>(&error) {
        Problem::BodyTooSlow
    } else if is_caused_by::<LengthLimitError>(&error) {
        Problem::BodyTooLarge(limit)
    } else {
        Problem::BodyInterrupted(error)
    }
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

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
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

/// Rejects a missing content type too, because browsers send such requests cross-origin without a preflight.
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
