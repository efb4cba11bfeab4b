//! Checks the answer of a stage against its transcript and earlier calls, and gives a verdict.

use serde_json::{Value, json};
use tarsy_llm::StopReason;
use tarsy_model::LlmPurpose;
use tarsy_verdict::{Case, Check, Evidence, judge};

use crate::claims::evidence_calls;
use crate::series::with_shape;
use crate::transcript::{Transcript, listed};
use crate::{AgentBrief, SUB_AGENTS_SERVER, paging};

/// Evidence that an answer is checked against.
#[derive(Clone, Debug, Default)]
pub struct AnswerEvidence {
    /// Successful calls of this stage, an earlier stage or a sub-agent, with masked results.
    calls: Vec<Evidence<'static>>,
    known: Vec<String>,
    tools_offered: bool,
    answer_cut: bool,
    has_sub_agents: bool,
}

impl AnswerEvidence {
    /// Collects the evidence from the transcript of the stage that gave the answer.
    #[must_use]
    pub fn new(transcript: &Transcript, brief: &AgentBrief) -> Self {
        let evidence = evidence_calls(transcript).filter_map(|call| {
            let result = call.result.as_ref().filter(|r| r.success && !r.refused)?;
            let arguments = call.intent.tool_arguments.as_ref();
            Some(Evidence {
                id: call.intent.interaction_id,
                arguments: arguments.map(Value::to_string).unwrap_or_default().into(),
                text: with_shape(paging::text_of(result), brief.limits.page_bytes()).into(),
            })
        });
        let calls: Vec<Evidence<'_>> = evidence.collect();
        let offers = || transcript.mcps().filter_map(listed).flatten();
        // A question about an ended session may be answered from its context, without a tool call.
        let is_offered = brief.follow_up.is_none() && offers().next().is_some();
        let mut known = known(brief);
        known.extend(offers().map(|tool| format!("{0}.{1} {1}", tool.server, tool.name)));
        Self {
            tools_offered: is_offered || !calls.is_empty(),
            known,
            answer_cut: is_cut(transcript),
            calls,
            has_sub_agents: {
                let mut calls = transcript.calls();
                calls.any(|call| call.intent.server_name == SUB_AGENTS_SERVER)
            },
        }
    }

    /// Returns whether the stage called sub-agents. Their calls count as evidence too, but are not in the transcript.
    #[must_use]
    pub const fn has_sub_agents(&self) -> bool {
        self.has_sub_agents
    }

    /// Adds the calls that earlier stages or sub-agents made, before the stage's own calls.
    #[must_use]
    pub fn with_earlier(mut self, earlier: Vec<Evidence<'static>>) -> Self {
        self.tools_offered |= !earlier.is_empty();
        self.calls.splice(0..0, earlier);
        self
    }

    /// Checks an answer, and the claims in the output of its stage.
    #[must_use]
    pub fn check(&self, answer: &str, output: &Value) -> Check {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        judge(&Case {
            answer,
            claims: output.get("claims"),
            evidence: &self.calls,
            known: &known,
            tools_offered: self.tools_offered,
            answer_cut: self.answer_cut,
        })
    }
}

/// Adds a verdict to the output of its stage. A claim that its cited calls do not show gets a `not_shown` member with
/// the reason.
pub fn add_verdict(output: &mut Value, check: &Check) {
    for (place, why) in &check.claims_not_shown {
        let place = usize::try_from(*place).unwrap_or(usize::MAX);
        if let Some(claim) = output.pointer_mut(&format!("/claims/{place}")) {
            claim["not_shown"] = json!(why);
        }
    }
    if let (Value::Object(output), Ok(check)) = (output, serde_json::to_value(check)) {
        output.insert("verdict".to_owned(), check);
    }
}

/// Returns the texts that the stage was given. Names in them count neither as findings nor as unknown names.
fn known(brief: &AgentBrief) -> Vec<String> {
    let data = &brief.data;
    let mut known = vec![
        data.alert_type.clone(),
        data.severity.clone(),
        data.alert_data.to_string(),
        data.runbook_content.clone().unwrap_or_default(),
        brief.task.clone().unwrap_or_default(),
        brief.agent.clone(),
    ];
    if let Some(asked) = &brief.follow_up {
        known.push(asked.question.clone());
        known.extend(asked.conclusion.clone());
        known.extend(asked.evidence.iter().map(|one| one.result.clone()));
        known.extend(asked.turns.iter().filter_map(|turn| turn.answer.clone()));
    }
    known
}

/// Returns whether the model reached its token limit while it wrote the answer.
fn is_cut(transcript: &Transcript) -> bool {
    let answer = transcript.turns().into_iter().rev().find_map(|turn| {
        let is_answer = turn.llm.intent.purpose != LlmPurpose::StructuredOutput;
        turn.llm.result.as_ref().filter(|_| is_answer)
    });
    answer.and_then(|answer| answer.finish_reason.as_deref())
        == Some(StopReason::MaxTokens.as_str())
}
