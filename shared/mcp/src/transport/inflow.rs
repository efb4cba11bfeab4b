//! Limits what a server sends, per call and between calls.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Messages of the largest size whose bytes a server may send before our next request to it. An
/// answer larger than a message is cut, not broken off, as long as it stays below this.
const LARGEST_MESSAGES: u64 = 64;
/// Messages of any kind: answers, notifications, lines that are none.
const MESSAGES: Allowance = Allowance {
    most: 10_000,
    each_second: 200,
};
/// Requests of the server to us: ping, sampling, roots, elicitation. Each is answered.
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

/// The exceeded limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flood {
    /// Bytes.
    Bytes,
    /// Messages: notifications, answers that nobody asked for, lines that are no messages.
    Messages,
    /// Requests to us.
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
    /// For a connection whose messages have at most this many bytes.
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

    /// Allow the full amounts again, because we ask something.
    pub(crate) fn grant(&self) {
        *self.meters() = Meters::full(self.0.bytes);
    }

    /// Count bytes; false when they are too many, now or before.
    pub(crate) fn bytes(&self, count: usize) -> bool {
        self.count(Flood::Bytes, count as u64)
    }

    /// Count a message; false when there are too many, now or before.
    pub(crate) fn message(&self) -> bool {
        self.count(Flood::Messages, 1)
    }

    /// Count a request of the server; false when there are too many, now or before.
    pub(crate) fn request(&self) -> bool {
        self.count(Flood::Requests, 1)
    }

    /// What there was too much of, once there was.
    pub(crate) fn flood(&self) -> Option<Flood> {
        self.0.flood.get().copied()
    }

    /// Resolves when there is too much of something.
    pub(crate) async fn flooded(&self) -> Flood {
        self.0.flooded.cancelled().await;
        // Set before the token is cancelled.
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
