use std::time::Duration;

/// Limits by which a [`Coalescer`](crate::Coalescer) groups requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLimits {
    /// Maximum number of requests per flush; default 64. Larger batches save little more, because 64 requests already
    /// share a commit, and they make the first request wait for the last.
    pub max_batch: usize,
    /// Maximum number of flushes at a time; default 1. With 2, the next batch prepares its statements while the first
    /// one waits for the disk, but batches are smaller.
    pub max_flushes: usize,
    /// Number of requests that must wait before another flush starts next to a running one; default 1. A larger number
    /// keeps batches large under load, where each flush has a fixed cost. It does not delay a single request.
    pub overlap_from: usize,
    /// Longest time of one flush; default 5 s. After that it is dropped and its requests fail with
    /// [`Error::Deadline`](crate::Error::Deadline), because the other side may have disappeared without closing the
    /// connection.
    pub deadline: Duration,
}

impl GroupLimits {
    /// Limits for statements that workers wait for: a second batch of at least eight begins next to the first.
    #[must_use]
    pub fn overlapping(max_batch: usize) -> Self {
        Self {
            max_batch,
            max_flushes: 2,
            overlap_from: 8,
            ..Self::default()
        }
    }
}

impl Default for GroupLimits {
    fn default() -> Self {
        Self {
            max_batch: 64,
            max_flushes: 1,
            overlap_from: 1,
            deadline: Duration::from_secs(5),
        }
    }
}
