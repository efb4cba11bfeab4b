//! Data about a request with alerts, collected while it is handled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::http::HeaderMap;
use bytes::Bytes;

use crate::access::Actor;
use crate::server::body::LargeBody;

/// Data about a request that the journal needs after the response; an extension of the request.
/// Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witness(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    request: OnceLock<SeenRequest>,
    is_proven: AtomicBool,
}

/// A request whose body was read.
#[derive(Debug)]
pub(super) struct SeenRequest {
    pub(super) body: Bytes,
    pub(super) headers: HeaderMap,
    pub(super) author: Option<String>,
    /// Permit for the memory of a large body, held as long as the body.
    _large: Option<LargeBody>,
}

impl Witness {
    /// Keeps a request's headers and its body, which is not copied.
    pub(crate) fn record_request(
        &self,
        headers: HeaderMap,
        author: Option<&Actor>,
        body: Bytes,
        large: Option<LargeBody>,
    ) {
        let author = author.map(|actor| actor.name().to_owned());
        let _ = self.0.request.set(SeenRequest {
            body,
            headers,
            author,
            _large: large,
        });
    }

    /// Records that the sender is authenticated.
    pub(crate) fn prove(&self) {
        self.0.is_proven.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_proven(&self) -> bool {
        self.0.is_proven.load(Ordering::Relaxed)
    }

    pub(super) fn request(&self) -> Option<&SeenRequest> {
        self.0.request.get()
    }
}
