//! Prompts: three tiers of instructions, then the question with its data fenced.

mod alert;
mod follow_up;
mod question;
mod report;
mod system;
mod times;
mod tools;

pub(crate) use question::{Told, question};
pub(crate) use report::{FORM as REPORT_FORM, is_report};
pub(crate) use system::system;

/// What the model is told when a limit is reached and it must conclude. `form` says how, if that was not said before.
pub(crate) fn conclude_now(native: bool, form: Option<&str>) -> String {
    let how = if native {
        "Answer in text; no tool can be called any more."
    } else {
        "No tool can be called any more. Reply with `Final Answer:` followed by your conclusion."
    };
    let mut text = format!(
        "The limit of this investigation is reached. {how} Conclude from what you have found, in the \
         form that was asked for: say what is established, what is only likely, what could not be checked, and what a \
         human operator should do next."
    );
    if let Some(form) = form {
        text.push_str("\n\n");
        text.push_str(form);
    }
    text
}

/// What the model is told that gives the same reply again, which still can't be acted on.
pub(crate) fn said_again(times: usize) -> String {
    format!(
        "This is the same reply for the {times}. time, and it still can't be acted on. Reply with something else: name one tool \
         with its parameters, or conclude."
    )
}
