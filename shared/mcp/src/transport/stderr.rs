//! The last part of a child process's stderr.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};

const KEPT_BYTES: usize = 8 * 1024;
/// Bytes that are read without a pause. A child that writes more is slowed down.
const BURST_BYTES: usize = 32 * 1024 * 1024;
/// Pause after each piece beyond [`BURST_BYTES`].
const PAUSE: Duration = Duration::from_millis(5);

/// The last 8 KiB of stderr. It stays at that size, however much a child writes.
#[derive(Clone, Default)]
pub(crate) struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

impl StderrTail {
    /// Reads `stderr` to its end in the background.
    pub(crate) fn follow(mut stderr: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let this = Self::default();
        let tail = this.clone();
        tokio::spawn(async move {
            let mut chunk = vec![0; KEPT_BYTES];
            let mut total = 0_usize;
            while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
                tail.push(&chunk[..read]);
                total = total.saturating_add(read);
                if total > BURST_BYTES {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        });
        this
    }

    /// Returns the kept text, if the child wrote anything. Not masked.
    pub(crate) fn text(&self) -> Option<String> {
        let kept: Vec<u8> = self.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&kept).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let surplus = (kept.len() + bytes.len()).saturating_sub(KEPT_BYTES);
        kept.drain(..surplus);
        kept.extend(bytes);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
