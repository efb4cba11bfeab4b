//! Bound of responses.

use crate::{CallError, ErrorClass};

/// Largest response body, error bodies included. The longest answers of today's models are below
/// 1 MiB.
pub(super) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The error of a response that is larger than it may be.
pub(super) fn too_large(limit: usize) -> CallError {
    let message = format!("the response is larger than {limit} bytes");
    CallError::new(ErrorClass::Malformed, message)
}
