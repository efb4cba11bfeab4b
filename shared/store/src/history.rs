//! Reads the history: lists, details, search and figures.
//!
//! Lists are queried in two arms, live sessions and ended sessions. The indexes on ended sessions are written when a
//! session ends, so they cost nothing when it is accepted.

mod arms;
mod counts;
mod detail;
mod facets;
mod figures;
mod filter;
mod gaps;
mod hits;
mod hours;
mod incidents;
mod index;
mod list;
mod overview;
mod page;
mod past;
mod record;
mod rollups;
mod search;
mod spending;
mod stage_states;
mod traits;
mod waits;

pub use counts::{Count, count_within};
pub use detail::{
    LlmRecord, McpRecord, SessionRecord, StageRecord, llm_records, mcp_records, session_record,
    stage_records,
};
pub use facets::{Facet, FacetCounts, facet_counts, trait_counts};
pub use figures::{Facets, HourFigures, SessionFigures, facets, figures_by_hour, session_figures};
pub(crate) use filter::Part;
pub use filter::{FollowUps, SessionFilter};
pub use gaps::{Gap, gaps};
pub use hits::Hits;
pub use hours::sum_up_hours;
pub use incidents::{
    Incident, IncidentMembership, IncidentPlace, MOST_MEMBERS, incident_keys, incident_members,
    incidents, incidents_of, list_incidents, session_overviews, snapshot,
};
pub use index::{
    SearchText, index_for_search, late_search_texts, outdated_search_texts, search_texts,
    write_search_documents,
};
pub use list::list_sessions;
pub use overview::SessionOverview;
pub use page::{ListPosition, Order, Page, Sort};
pub use past::{PastSession, past_evidence, past_sessions};
pub use record::{RecordPart, StageTally, record_part, stage_tallies};
pub use rollups::tally_ended_sessions;
pub use search::{Holding, SearchLimits, holding, search_sessions};
pub(crate) use search::{pattern, terms};
pub use spending::{Spending, SpendingPart, session_spending};
pub use stage_states::StageState;
pub use traits::{
    assignees, late_session_traits, prune_session_traits, trait_values, write_session_traits,
};
pub use waits::{Wait, WaitReason, wait_of};
