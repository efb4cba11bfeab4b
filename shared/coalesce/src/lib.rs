//! Group commit: requests that arrive while a flush is under way share the next one.
//!
//! A commit costs one disk flush however many rows it carries. A [`Coalescer`] lets
//! concurrent requests share commits without adding latency to a lone one: when nothing is
//! under way a request is flushed at once, alone; while a flush runs, requests gather, and
//! the next flush takes them all (up to [`GroupLimits::max_batch`]). No timer delays a request.
//!
//! The next flush does not wait for an overdue one, which is cancelled at [`GroupLimits::deadline`]. A
//! request that spoils its batch fails alone ([`Coalescer::isolating`]).
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
