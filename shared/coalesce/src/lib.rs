//! Group commit: requests that arrive during a flush share the next one.
//!
//! A commit costs one disk flush, no matter how many rows it contains. A [`Coalescer`] lets concurrent requests share
//! commits without delaying a single one. If no flush is running, a request is flushed at once, alone. During a flush,
//! requests gather, and the next flush takes all of them (up to [`GroupLimits::max_batch`]). No timer delays a request.
//!
//! The next flush does not wait for an overdue one, which is cancelled at [`GroupLimits::deadline`]. A request that
//! makes its batch fail can be isolated, so that it fails alone ([`Coalescer::isolating`]).
//!
//! ```
//! # use std::convert::Infallible;
//! # use tarsy_coalesce::{Coalescer, GroupLimits};
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let doubler = Coalescer::new(GroupLimits::default(), |batch: Vec<u32>| async move {
//!     // One transaction for the whole batch would go here.
//!     Ok::<_, Infallible>(batch.into_iter().map(|n| n * 2).collect())
//! });
//! assert_eq!(doubler.submit(21).await.unwrap(), 42);
//! # }
//! ```

mod batch;
mod coalescer;
mod error;
mod flush;
mod limits;

pub use batch::Batch;
pub use coalescer::Coalescer;
pub use error::{DeadlineExceeded, Error};
pub use limits::GroupLimits;
