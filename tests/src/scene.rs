//! Replies of the fake model. The same conversation always gets the same reply, also in a resumed stage.

use tarsy_testing::fake_llm::{Behaviour, SeenRequest};

/// Number of model calls in all stages of an undisturbed `CheckoutDown`.
pub const QUESTIONS: usize = 6;

/// Number of model calls in an undisturbed `EveryKind`.
pub const QUESTIONS_OF_EVERY_KIND: usize = 7;

/// The final analysis of a `CheckoutDown` and of an `EveryKind`.
pub const ANALYSIS: &str = "The checkout service was down and has been restarted once.";

/// Returns the model's behaviour for the agents of `config/fleet.yaml`.
#[must_use]
pub fn play(request: &SeenRequest) -> Behaviour {
    Behaviour::text(line(request))
}

fn line(request: &SeenRequest) -> &'static str {
    let is = |who: &str| request.contains(who);
    match request.assistant_turns() {
        _ if is("You are the triage.") => {
            r#"{"parts": [{"name": "db-1", "load": 1}, {"name": "db-2", "load": 3}]}"#
        }
        _ if is("You are the helper.") => "Final Answer: it ran out of memory",
        0 if is("You are the lead.") => {
            "Thought: Somebody should look.\nAction: dispatch_agent\nAction Input: {\"name\": \"Helper\", \"task\": \"look at the memory\"}"
        }
        1 if is("You are the lead.") => {
            "Thought: What is it?\nAction: list_agents\nAction Input: {\"wait\": true}"
        }
        _ if is("You are the lead.") => "Final Answer: it ran out of memory",
        0 if is("You are the fixer.") => {
            "Thought: It is down.\nAction: ledger.restart_service\nAction Input: {\"service\": \"checkout\"}"
        }
        _ if is("You are the fixer.") => {
            "Final Answer: The checkout service was down and has been restarted once."
        }
        0 if is("You are the collector.") => {
            "Thought: First the status.\nAction: ledger.read_status\nAction Input: {\"service\": \"checkout\"}"
        }
        1 if is("You are the collector.") => {
            "Thought: It is down.\nAction: ledger.restart_service\nAction Input: {\"service\": \"checkout\"}"
        }
        _ if is("You are the collector.") => {
            "Final Answer: checkout answered 503 and was told to restart"
        }
        0 if is("You are the analyst.") => {
            "Thought: Is it up again?\nAction: ledger.read_status\nAction Input: {\"service\": \"checkout\", \"again\": true}"
        }
        _ if is("You are the analyst.") => "Final Answer: one restart was enough",
        _ => ANALYSIS,
    }
}
