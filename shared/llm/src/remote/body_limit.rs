//! Size limit of responses.

use crate::{CallError, ErrorClass};

/// Largest response body, including error bodies. The longest answers of current models are below 1 MiB.
pub(super) const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Returns the error for a response that exceeds the limit.
pub(super) fn too_large(limit: usize) -> CallError {
    let message = format!("the response is larger than {limit} bytes");
    CallError::new(ErrorClass::Malformed, message)
}
