//! Prompts: three tiers of instructions, then the question with its data fenced.

mod alert;
mod follow_up;
mod question;
mod report;
mod system;
mod tools;

pub(crate) use question::{Told, question};
pub(crate) use system::system;

/// What the model is told when a limit is reached and it must conclude.
pub(crate) fn conclude_now(native: bool) -> String {
    let form = if native {
        "Answer in text; no tool can be called any more."
    } else {
        "No tool can be called any more. Reply with `Final Answer:` followed by your conclusion."
    };
    format!(
        "The limit of this investigation is reached. {form} Conclude from what you have found, in the \
         form that was asked for: say what is established, what is only likely, what could not be checked, and what a \
         human operator should do next."
    )
}
