//! The form of an analysis that people read. Screens find its parts by these titles, and by the first word under
//! `Confidence`: `web/ui/src/text/sections.ts`.

use tarsy_model::IterationStrategy;

use crate::AgentBrief;

/// Description of the parts of an analysis. It is prose because small models copy a list of headings as if it were
/// their report. It describes and gives no orders, because small models carry out an order at once.
pub(crate) const FORM: &str = include_str!("texts/report.txt").trim_ascii_end();

/// Text that is added to the first result: what to do next, and the form of the conclusion. It stays when the result
/// is cut.
pub(crate) const AFTER_FIRST_RESULT: &str = concat!(
    "\n\nGo on with the next call, unless none could change the conclusion. ",
    include_str!("texts/report.txt")
)
.trim_ascii_end();

/// Returns whether people read the agent's conclusion as a report.
pub(crate) fn is_report(brief: &AgentBrief) -> bool {
    brief.follow_up.is_none()
        && brief.verification().is_none()
        && matches!(
            brief.strategy,
            IterationStrategy::React
                | IterationStrategy::Regular
                | IterationStrategy::ReactFinalAnalysis
        )
}
