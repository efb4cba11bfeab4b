//! What is known of a request that carries alerts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::http::HeaderMap;
use bytes::Bytes;

use crate::access::Actor;
use crate::server::body::LargeBody;

/// What is known of a request once it is answered; an extension of the request. Cheap to clone.
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
    /// Held as long as the body.
    _large: Option<LargeBody>,
}

impl Witness {
    /// Remembers a request's body, which is not copied, and its headers.
    pub(crate) fn saw(
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

    /// The sender has shown who it is.
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
