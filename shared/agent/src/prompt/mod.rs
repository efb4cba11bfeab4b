//! Prompts: three tiers of instructions, then the question with its data fenced.

mod alert;
mod changes;
mod follow_up;
mod question;
mod report;
mod system;
mod times;
mod tools;

use tarsy_mcp::ToolInfo;

use crate::fence::Fence;
use crate::reply_form::ReplyForm;
use crate::{json_form, react};

pub(crate) use question::{ToolOverview, question};
pub(crate) use report::{AFTER_FIRST_RESULT, FORM as REPORT_FORM, is_report};
pub(crate) use system::system;

/// Asks the model to conclude because a limit is reached. `report` is the form of its report, if the model does not
/// know it yet.
pub(crate) fn conclude_now(form: ReplyForm, report: Option<&str>) -> String {
    let how = match form {
        ReplyForm::Native => "Answer in text; no tool can be called any more.",
        ReplyForm::Json => {
            "No tool can be called any more: reply with a JSON object that has the one member `final_answer`."
        }
        ReplyForm::Text => {
            "No tool can be called any more. Reply with `Final Answer:` followed by your conclusion."
        }
    };
    let report = report.map(|report| format!("\n\n{report}"));
    format!(
        "Write your conclusion now, from what you have found: say what is established, what is only likely, what could not \
         be checked, and what a human operator should do next. {how} The limit of this investigation is reached.{}",
        report.unwrap_or_default()
    )
}

/// Asks the model to reply in another form, because its replies could not be read or repeated calls. `tools` are
/// tools that were only offered natively so far.
pub(crate) fn changed_form(form: ReplyForm, tools: Option<&[ToolInfo]>) -> String {
    let tools = tools.filter(|tools| !tools.is_empty());
    let tools = tools.map(|tools| format!("\n\nThe tools:\n\n{}", tools::list(tools)));
    format!(
        "The form of the replies changes, because the last ones could not be read or brought nothing new. {}{}",
        how(form),
        tools.unwrap_or_default()
    )
}

/// Shows the parameters of loaded tools with the result of the call that loaded them.
pub(crate) fn loaded(tools: &[ToolInfo], fence: &Fence) -> String {
    let list = fence.wrap("TOOLS", &tools::list(tools));
    format!("\n\nLoaded, with parameters:\n{list}")
}

/// Informs the model that it repeated a reply that can't be acted on.
pub(crate) fn same_reply_again(times: usize, form: ReplyForm) -> String {
    format!(
        "This is the same reply as before (number {times}), and it still can't be acted on. Reply with something else. {}",
        how(form)
    )
}

/// Returns the instructions for a reply form.
const fn how(form: ReplyForm) -> &'static str {
    match form {
        ReplyForm::Native => "Call one of the offered tools, or reply with your conclusion.",
        ReplyForm::Json => json_form::HOW,
        ReplyForm::Text => react::HOW,
    }
}
