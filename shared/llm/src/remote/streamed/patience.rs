//! Limits how long a streamed answer may be silent.

use std::time::Duration;

use tokio::time::Instant;

use crate::{CallError, ErrorClass};

/// Limits of silence. `None`: only the limit of the whole call applies.
#[derive(Clone, Copy, Debug)]
pub(in crate::remote) struct Patience {
    /// Limit before the first part of the answer.
    pub(in crate::remote) first_token: Option<Duration>,
    /// Limit within the answer. Applies before it, too, if `first_token` is not set.
    pub(in crate::remote) stall: Option<Duration>,
}

/// A running wait for an answer.
pub(in crate::remote) struct Waiting {
    patience: Patience,
    first_token: Option<Instant>,
}

impl Patience {
    pub(in crate::remote) fn begin(self) -> Waiting {
        Waiting {
            patience: self,
            first_token: self.first_token.map(|limit| Instant::now() + limit),
        }
    }
}

impl Waiting {
    /// Waits for a part while none of the answer has arrived.
    pub(in crate::remote) async fn first<T>(
        &self,
        part: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let (Some(until), Some(limit)) = (self.first_token, self.patience.first_token) else {
            return self.more(part).await;
        };
        tokio::time::timeout_at(until, part)
            .await
            .unwrap_or_else(|_| {
                let seconds = limit.as_secs_f64();
                Err(silent(format!(
                    "the answer did not begin within {seconds:.1} s"
                )))
            })
    }

    /// Waits for more of the answer.
    pub(in crate::remote) async fn more<T>(
        &self,
        part: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let Some(stall) = self.patience.stall else {
            return part.await;
        };
        tokio::time::timeout(stall, part).await.unwrap_or_else(|_| {
            let seconds = stall.as_secs_f64();
            Err(silent(format!(
                "the answer stalled: nothing came for {seconds:.1} s"
            )))
        })
    }
}

fn silent(message: String) -> CallError {
    CallError::new(ErrorClass::Timeout, message)
}
