//! The form of an analysis that people read. Screens find its parts by these titles, and the first word under
//! `Confidence`: `ui/src/text/sections.ts`.

use tarsy_model::IterationStrategy;

use crate::AgentBrief;

/// What stands where in an analysis. Prose on purpose: small models copy a list of headings as if it were their report.
///
/// It begins with an empty line, since it is also added to results of tools.
pub(crate) const FORM: &str = "\n\n\
Write the final report as Markdown, each part as short as it can be. It opens with what happened and why, in two sentences \
without a heading. Six parts follow in this order, each below a second-level heading that is its title alone. Titled Root \
cause: the cause and how it led to the alert, or that it is not established. Titled Evidence: what shows it, with names from tool \
results in backticks, exactly as the tool wrote them, so that they can be looked up. Titled Ruled out: what else could have \
caused it and what speaks against each, then what could not be checked. Titled Impact: the current state, and who or what is \
affected. Titled Next steps: what to do, in order, each with its risk. Titled Confidence: one word, high, medium or low, then why.";

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
