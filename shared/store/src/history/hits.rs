//! A page of matching sessions.

use tarsy_model::SessionId;

use super::counts::Count;
use super::overview::SessionOverview;

/// A page of matching sessions.
#[derive(Clone, Debug)]
pub struct Hits {
    /// Sessions of the requested page.
    pub sessions: Vec<SessionOverview>,
    /// Number of matching sessions; a lower bound unless exact.
    pub count: Count,
    /// Position where the search stopped before the page was full; `None` if the page is full or all candidates were
    /// checked. To continue, use it as `Page::after`, without the index.
    pub reached: Option<(i64, SessionId)>,
}
