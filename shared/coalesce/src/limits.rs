use std::time::Duration;

/// How a [`Coalescer`](crate::Coalescer) groups requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLimits {
    /// Most requests one flush may carry; default 64. Larger batches save little more (a
    /// commit is already shared by 64) and make the first of them wait for the last.
    pub max_batch: usize,
    /// Flushes that may run at the same time; default 1. With 2 the next batch prepares its
    /// statements while the first waits for the disk, at the price of smaller batches.
    pub max_flushes: usize,
    /// Requests that must wait before a flush starts next to another; default 1. More keeps
    /// batches large under load, where each flush has a price of its own, and costs a lone
    /// request nothing.
    pub overlap_from: usize,
    /// Longest time one flush may take; default 5 s. It is dropped then, and its requests fail with
    /// [`Error::Deadline`](crate::Error::Deadline): the other side may be gone without a word.
    pub deadline: Duration,
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
