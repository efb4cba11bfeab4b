//! Corrections for replies that can't be acted on.

use super::Problem;

/// Returns the corrective observation: what was wrong and what to write instead.
///
/// It names the sections in prose, so that a model that copies it neither calls a tool nor concludes.
#[must_use]
pub fn correction(problem: Problem) -> String {
    let wrong = match problem {
        Problem::Empty => "Your reply was empty.",
        Problem::NoSections => {
            "Your reply has no section named Thought, Action or Final Answer, so nothing was done."
        }
        Problem::ThoughtOnly => {
            "Your reply has a thought, but neither an action nor a final answer, so nothing was done."
        }
        Problem::NoToolName => {
            "The action does not name a tool. It must hold the name of one tool from the list and nothing else."
        }
        Problem::InputOnly => "Your reply has an input, but no action that names the tool.",
        Problem::Ambiguous => "Your reply mixes its sections so that it can be read in two ways.",
        Problem::EmptyFinalAnswer => "The final answer is empty.",
    };
    format!("{wrong}\n\n{HOW}")
}

/// Instructions for a reply in sections, worded so that they can't be parsed as a reply.
pub(crate) const HOW: &str = "\
Begin each section on a line of its own with its name and a colon. To use a tool, write three sections and stop: Thought with \
your reason, Action with the name of one tool from the list, Action Input with its parameters as one JSON object. To conclude, \
write two: Thought with your reason, Final Answer with your conclusion.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::react::{Reply, parse_reply};

    #[test]
    fn a_copied_notice_is_neither_a_call_nor_a_conclusion() {
        for problem in [
            Problem::Empty,
            Problem::NoSections,
            Problem::ThoughtOnly,
            Problem::NoToolName,
            Problem::InputOnly,
            Problem::EmptyFinalAnswer,
            Problem::Ambiguous,
        ] {
            let notice = correction(problem);
            for copy in [
                notice.clone(),
                format!("Observation: {notice}"),
                format!("Thought: {notice}"),
            ] {
                let read = parse_reply(&copy);
                assert!(matches!(read, Reply::Malformed(_)), "{copy}: {read:?}");
            }
        }
    }
}
