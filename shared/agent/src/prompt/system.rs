//! The system message.

use tarsy_model::IterationStrategy;

use crate::AgentBrief;
use crate::fence::Fence;
use crate::json_form;
use crate::reply_form::ReplyForm;

const GENERAL: &str = include_str!("texts/general.txt").trim_ascii_end();

const NATIVE: &str = include_str!("texts/native.txt").trim_ascii_end();
const REACT: &str = include_str!("texts/react.txt").trim_ascii_end();

const UNTRUSTED: &str = include_str!("texts/untrusted.txt").trim_ascii_end();
const JSON_RULES: &str = include_str!("texts/json_rules.txt").trim_ascii_end();

/// Returns the general instructions, those for each MCP server, those of the agent, the rules about data, and the
/// reply form.
pub(crate) fn system(brief: &AgentBrief, form: ReplyForm, fence: &Fence) -> String {
    let mut parts = vec![format!("## General Instructions\n\n{GENERAL}")];
    let servers = brief.server_instructions.iter();
    let servers = servers.map(|server| (&server.server, &server.text));
    for (whose, text) in servers.chain([(&brief.agent, &brief.custom_instructions)]) {
        if !text.trim().is_empty() {
            parts.push(format!("## Instructions for {whose}\n\n{}", text.trim()));
        }
    }
    parts.push(UNTRUSTED.replace("{id}", fence.id()));
    parts.push(match (brief.strategy, form) {
        (IterationStrategy::ReactFinalAnalysis, _) => {
            "## How to reply\n\nYou have no tools. Reply once, with the finished analysis in Markdown.".to_owned()
        }
        (_, ReplyForm::Native) => NATIVE.to_owned(),
        (_, ReplyForm::Json) => format!("## How to reply\n\n{}\n\n{JSON_RULES}", json_form::HOW),
        (_, ReplyForm::Text) => REACT.to_owned(),
    });
    let focus = match brief.follow_up {
        Some(_) => "a direct answer to the question",
        None => focus(brief.strategy),
    };
    parts.push(format!("Focus on {focus} for human operators to execute."));
    parts.join("\n\n")
}

const fn focus(strategy: IterationStrategy) -> &'static str {
    match strategy {
        IterationStrategy::ReactTools => "collecting the evidence that later stages need",
        IterationStrategy::ReactStage | IterationStrategy::ReactToolsPartial => {
            "this stage's part of the investigation and its findings"
        }
        IterationStrategy::ReactFinalAnalysis => "a complete analysis with recommendations",
        IterationStrategy::React | IterationStrategy::Regular => {
            "investigation and providing recommendations"
        }
    }
}
