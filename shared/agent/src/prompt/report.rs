//! The form of an analysis that people read. Screens find its parts by these titles, and the first word under
//! `Confidence`: `web/ui/src/text/sections.ts`.

use tarsy_model::IterationStrategy;

use crate::AgentBrief;

/// Prose on purpose: small models copy a list of headings as if it were their report. It describes and orders nothing, since they
/// carry out an order at once.
macro_rules! form {
    () => {
        "\
The conclusion is a report in Markdown, each part as short as it can be. It opens with what happened and why, in two sentences \
without a heading. Six parts follow, each below a second-level heading that is its title alone. Titled Root cause: the cause \
and how it led to the alert, or that it is not established. Titled Evidence: what shows it, with names from tool results in \
backticks, exactly as the tool wrote them. Titled Ruled out: what else could have caused it and what speaks against each, then \
what could not be checked. Titled Impact: the current state, and who or what is affected. Titled Next steps: what to do, in \
order, each with its risk. Titled Confidence: one word, high, medium or low, then why."
    };
}

/// What stands where in an analysis.
pub(crate) const FORM: &str = form!();

/// What is added to the first result: what to do next, and the form of the conclusion. It outlasts the result.
pub(crate) const AFTER_FIRST_RESULT: &str = concat!(
    "\n\nGo on with the next call, unless none could change the conclusion. ",
    form!()
);

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
