//! A page of matching sessions.

use tarsy_model::SessionId;

use super::counts::Count;
use super::overview::SessionOverview;

/// A page of matching sessions.
#[derive(Clone, Debug)]
pub struct Hits {
    /// The page asked for.
    pub sessions: Vec<SessionOverview>,
    /// How many there are; a lower bound unless exact.
    pub count: Count,
    /// Where the search stopped, before the page was full; `None`: all that can match was looked
    /// at, or the page is full. It goes on with `Page::after` and without the index.
    pub reached: Option<(i64, SessionId)>,
}
