//! Limits what a server sends, per call and between calls.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Bytes that a server may send before the next request to it, as a multiple of the largest message. An answer that is
/// larger than one message is cut, but the connection stays open below this limit.
const LARGEST_MESSAGES: u64 = 64;
/// Messages of any kind: answers, notifications, and lines that are not messages.
const MESSAGES: Allowance = Allowance {
    most: 10_000,
    each_second: 200,
};
/// Requests from the server to the client: ping, sampling, roots, elicitation. Each is answered.
const REQUESTS: Allowance = Allowance {
    most: 100,
    each_second: 5,
};

/// Meter of what a connection receives. Cheap to clone; all readers of a connection share one.
#[derive(Clone)]
pub(crate) struct Inflow(Arc<Shared>);

struct Shared {
    bytes: Allowance,
    meters: Mutex<Meters>,
    flood: OnceLock<Flood>,
    flooded: CancellationToken,
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flood {
    /// Number of bytes.
    Bytes,
    /// Number of messages: notifications, answers without a request, and lines that are not messages.
    Messages,
    /// Number of requests to the client.
    Requests,
}

impl fmt::Display for Flood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (allowance, what) = match self {
            Self::Bytes => {
                return write!(
                    f,
                    "it sent more than {LARGEST_MESSAGES} times the size of a message at once"
                );
            }
            Self::Messages => (MESSAGES, "messages"),
            Self::Requests => (REQUESTS, "requests to the client"),
        };
        write!(f, "it sent more than {} {what} at once", allowance.most)
    }
}

impl Inflow {
    /// Creates a meter for a connection whose messages have at most this many bytes.
    pub(crate) fn new(max_message_bytes: usize) -> Self {
        let bytes = Allowance {
            most: (max_message_bytes as u64).saturating_mul(LARGEST_MESSAGES),
            each_second: max_message_bytes as u64 / 4,
        };
        Self(Arc::new(Shared {
            bytes,
            meters: Mutex::new(Meters::full(bytes)),
            flood: OnceLock::new(),
            flooded: CancellationToken::new(),
        }))
    }

    /// Restores the full allowances, because a request is sent.
    pub(crate) fn grant(&self) {
        *self.meters() = Meters::full(self.0.bytes);
    }

    /// Counts bytes. Returns false if a limit is exceeded now or was before.
    pub(crate) fn bytes(&self, count: usize) -> bool {
        self.count(Flood::Bytes, count as u64)
    }

    /// Counts a message. Returns false if a limit is exceeded now or was before.
    pub(crate) fn message(&self) -> bool {
        self.count(Flood::Messages, 1)
    }

    /// Counts a request of the server. Returns false if a limit is exceeded now or was before.
    pub(crate) fn request(&self) -> bool {
        self.count(Flood::Requests, 1)
    }

    /// Returns the limit that was exceeded, if one was.
    pub(crate) fn flood(&self) -> Option<Flood> {
        self.0.flood.get().copied()
    }

    /// Waits until a limit is exceeded.
    pub(crate) async fn flooded(&self) -> Flood {
        self.0.flooded.cancelled().await;
        // The flood is set before the token is cancelled.
        self.flood().unwrap_or(Flood::Messages)
    }

    fn count(&self, what: Flood, count: u64) -> bool {
        let within = self.meters().meter(what).take(count);
        if !within && self.0.flood.set(what).is_ok() {
            self.0.flooded.cancel();
        }
        self.0.flood.get().is_none()
    }

    fn meters(&self) -> std::sync::MutexGuard<'_, Meters> {
        self.0.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy)]
struct Allowance {
    most: u64,
    each_second: u64,
}

struct Meters {
    bytes: Meter,
    messages: Meter,
    requests: Meter,
}

impl Meters {
    fn full(bytes: Allowance) -> Self {
        let now = Instant::now();
        let full = |allowance: Allowance| Meter {
            allowance,
            left: allowance.most,
            filled_at: now,
        };
        Self {
            bytes: full(bytes),
            messages: full(MESSAGES),
            requests: full(REQUESTS),
        }
    }

    const fn meter(&mut self, what: Flood) -> &mut Meter {
        match what {
            Flood::Bytes => &mut self.bytes,
            Flood::Messages => &mut self.messages,
            Flood::Requests => &mut self.requests,
        }
    }
}

struct Meter {
    allowance: Allowance,
    left: u64,
    filled_at: Instant,
}

impl Meter {
    fn take(&mut self, count: u64) -> bool {
        if let Some(left) = self.left.checked_sub(count) {
            self.left = left;
            return true;
        }
        let whole = self.filled_at.elapsed().as_secs();
        self.filled_at += Duration::from_secs(whole);
        let refilled = whole.saturating_mul(self.allowance.each_second);
        self.left = self.left.saturating_add(refilled).min(self.allowance.most);
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_named_by_its_first_kind_and_a_request_of_ours_allows_more() {
        let inflow = Inflow::new(1024);
        for _ in 0..MESSAGES.most {
            assert!(inflow.message());
        }
        inflow.grant();
        assert!(inflow.message());
        assert!(!inflow.bytes(usize::MAX));
        assert_eq!(inflow.flood(), Some(Flood::Bytes));
        assert!(!inflow.message(), "what was broken off stays so");
    }
}
