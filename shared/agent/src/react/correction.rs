//! Corrections for replies that can't be acted on.

use super::Problem;

/// The corrective observation: what was wrong and what to write instead.
#[must_use]
pub fn correction(problem: Problem) -> String {
    let wrong = match problem {
        Problem::Empty => "Your reply was empty.",
        Problem::NoSections => {
            "Your reply has no `Thought:`, `Action:` or `Final Answer:` section, so nothing was done."
        }
        Problem::ThoughtOnly => {
            "Your reply has a `Thought:` but neither an `Action:` nor a `Final Answer:`, so nothing was done."
        }
        Problem::NoToolName => {
            "The `Action:` line does not name a tool. It must hold the name of one tool from the list and nothing else."
        }
        Problem::InputOnly => {
            "Your reply has an `Action Input:` but no `Action:` line that names the tool."
        }
        Problem::Ambiguous => "Your reply mixes its sections so that it can be read in two ways.",
        Problem::EmptyFinalAnswer => "The `Final Answer:` section is empty.",
    };
    format!(
        "{wrong}\n\nReply in exactly one of these two forms.\n\nTo use a tool:\nThought: why\n\
         Action: server.tool\nAction Input: {{\"parameter\": \"value\"}}\n\nTo conclude:\n\
         Thought: why\nFinal Answer: your conclusion"
    )
}
