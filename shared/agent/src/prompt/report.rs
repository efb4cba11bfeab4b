//! The form of an analysis that people read. Screens find its parts by these titles, and the first word under
//! `Confidence`: `web/ui/src/text/sections.ts`.

use tarsy_model::IterationStrategy;

use crate::AgentBrief;

/// What stands where in an analysis. Prose on purpose: small models copy a list of headings as if it were their report. It describes
/// and orders nothing, since they carry out an order at once.
pub(crate) const FORM: &str = include_str!("texts/report.txt").trim_ascii_end();

/// What is added to the first result: what to do next, and the form of the conclusion. It outlasts the result.
pub(crate) const AFTER_FIRST_RESULT: &str = concat!(
    "\n\nGo on with the next call, unless none could change the conclusion. ",
    include_str!("texts/report.txt")
)
.trim_ascii_end();

/// Whether people read the agent's conclusion as a report.
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
