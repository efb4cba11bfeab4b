//! Reading back what happened: lists, details, search, figures.
//!
//! Lists are asked in two arms, sessions that live and sessions that ended, because the
//! indexes over ended ones are written at a session's end and cost its acceptance nothing.

mod counts;
mod detail;
mod facets;
mod figures;
mod filter;
mod hours;
mod index;
mod list;
mod search;

pub use counts::{Count, count_sessions};
pub use detail::{
    LlmRecord, McpRecord, SessionRecord, StageRecord, llm_records, mcp_records, session_record,
    stage_records,
};
pub use facets::{Facet, FacetCounts, facet_counts};
pub use figures::{Facets, HourFigures, SessionFigures, facets, figures_by_hour, session_figures};
pub use filter::SessionFilter;
pub(crate) use filter::{ENDED, LIVE};
pub use hours::sum_up_hours;
pub use index::index_for_search;
pub use list::{Order, Page, SessionOverview, Sort, list_sessions};
pub(crate) use search::pattern;
pub use search::{Hits, search_sessions};
