//! Runs agents written in Rust: converts the record of a stage into their events, and their steps into actions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tarsy_agent_api::{Case, CodeAgent, EarlierStage, Event, Step, Tool};
use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{LlmIntent, LlmPurpose, McpResult, RecordedInteraction, RecordedMcp};

use crate::action::{Action, Question};
use crate::conclude::no_answer;
use crate::decision_context::DecisionContext;
use crate::limit::LimitReached;
use crate::plan::Planner;
use crate::transcript::{Transcript, Turn};
use crate::{FailureClass, budget, paging};

impl DecisionContext<'_> {
    /// Decides the next action: continues a step that was begun, or takes the next step of the agent's code.
    pub(crate) fn next_of_code(&self, agent: &dyn CodeAgent) -> Action {
        if let Some(first) = self.tools_first() {
            return first;
        }
        let call = self.transcript.calls().next_back();
        let turns = self.transcript.turns();
        let question = turns.last().map(|turn| turn.llm);
        // The limits allowed this step when it began, so they are not checked again.
        let is_begun = call.is_some_and(|call| call.result.is_none())
            || question.is_some_and(|question| question.result.is_none());
        let limit = self.limit().filter(|_| !is_begun);
        let asked = match question.map(|question| (&question.intent, question.result.as_ref())) {
            Some((intent, None)) => Some((intent, false)),
            Some((intent, Some(result))) if !result.success => {
                if !self.may_ask_again(result) || self.remaining.is_zero() {
                    let (class, why) = no_answer(result);
                    return Action::fail(class, why);
                }
                Some((intent, true))
            }
            _ => None,
        };
        self.step(agent, limit, asked)
    }

    /// Asks the agent's code for its next step and turns the step into an action. `asked` is the question that is
    /// asked again, and whether its last answer was a failure.
    fn step(
        &self,
        agent: &dyn CodeAgent,
        limit: Option<LimitReached>,
        asked: Option<(&LlmIntent, bool)>,
    ) -> Action {
        let events = events(self.transcript);
        let offers = self.offers();
        let fence = self.fence();
        let quoting = |label: &str, text: &str| fence.wrap(label, text);
        let case = Case {
            must_conclude: limit.is_some(),
            ..case(self, &offers, &events, &quoting)
        };
        let Ok(next) = catch_unwind(AssertUnwindSafe(|| agent.next(&case))) else {
            let why = format!("the agent `{}` panicked", agent.name());
            return Action::fail(FailureClass::Code, why);
        };
        let concluding = self.transcript.turns().iter().any(|turn| {
            turn.llm.intent.purpose == LlmPurpose::ForcedConclusion && turn.answer().is_some()
        });
        match (next, limit) {
            (Step::Conclude(text), limit) => self.complete(&text, limit),
            (Step::Fail(why), _) => Action::fail(FailureClass::Code, why),
            (Step::Call { .. } | Step::Ask { .. }, _) if self.remaining.is_zero() => {
                let why = "the stage timed out before the agent concluded";
                Action::fail(FailureClass::Deadline, why)
            }
            (Step::Call { .. }, Some(limit)) => beyond(limit),
            (Step::Ask { .. }, Some(limit)) if concluding => beyond(limit),
            (Step::Ask { system, prompt }, limit) => {
                let purpose = match (asked, limit) {
                    (Some((intent, _)), _) => intent.purpose,
                    (None, Some(_)) => LlmPurpose::ForcedConclusion,
                    (None, None) => LlmPurpose::Iteration,
                };
                let all = vec![ChatMessage::system(system), ChatMessage::user(prompt)];
                self.ask_of_code(all, purpose, asked)
            }
            (Step::Call { tool, arguments }, None) => self.call_of_code(&tool, arguments, &offers),
        }
    }

    fn ask_of_code(
        &self,
        all: Vec<ChatMessage>,
        purpose: LlmPurpose,
        asked: Option<(&LlmIntent, bool)>,
    ) -> Action {
        // A question that was begun keeps its row. A question that failed gets a new row.
        let (begun, new_messages) = match asked {
            Some((_, true)) => (None, Vec::new()),
            asked => (asked.map(|(intent, _)| intent), all.clone()),
        };
        let question = self.question(purpose, begun);
        // The code asks the same question until it is answered.
        let turns = self.transcript.turns();
        let is_open = |turn: &&Turn<'_>| turn.llm.result.is_none();
        let asked_before = turns.iter().rev().skip_while(is_open);
        let refused = asked_before.take_while(|turn| turn.is_too_long()).count();
        let refused = vec![budget::total(&all); refused];
        Action::AskModel(Box::new(Question {
            messages: self.fit(all, &[], refused).0,
            new_messages,
            step_description: format!("Question {}: ask model", question.iteration),
            ..question
        }))
    }

    fn call_of_code(&self, tool: &str, arguments: Value, offers: &[ToolInfo]) -> Action {
        let recorded: Vec<&RecordedMcp> = self.transcript.calls().collect();
        let begun = recorded.last().filter(|call| call.result.is_none());
        let sequence = match begun {
            Some(call) => call.intent.sequence,
            None => self.transcript.next_sequence(),
        };
        let iteration = self.transcript.next_iteration();
        let mut planner = Planner::new(sequence, iteration, self, offers);
        planner.add(tool, arguments, None);
        let Some(mut call) = planner.planned.pop() else {
            return beyond(LimitReached::ToolCalls);
        };
        // Code that repeats a call wants fresh data.
        let is_repeat = |answer: &McpResult| paging::repeat_of(answer).is_some();
        call.answer = call.answer.filter(|answer| !is_repeat(answer));
        if let Some(begun) = begun
            && (begun.intent.tool_name.as_deref() != Some(&*call.tool)
                || begun.intent.server_name != call.server)
        {
            let why = format!(
                "the agent's code wants to call `{tool}` where it has begun to call `{}`: it must decide alike for the same events",
                begun.intent.step_description
            );
            return Action::fail(FailureClass::Code, why);
        }
        self.make_calls(self.open_calls(vec![call], &recorded), None)
    }
}

fn beyond(limit: LimitReached) -> Action {
    let why = format!("the agent did not conclude at the limit of {limit}");
    Action::fail(FailureClass::NoConclusion, why)
}

fn case<'a>(
    context: &DecisionContext<'a>,
    offers: &'a [ToolInfo],
    events: &'a [Event],
    quoting: &'a dyn Fn(&str, &str) -> String,
) -> Case<'a> {
    let brief = context.brief;
    let data = &brief.data;
    let question = brief.follow_up.as_ref().map(|asked| &*asked.question);
    let earlier = data.stage_outputs.iter().map(|stage| EarlierStage {
        name: &stage.stage_name,
        result: match (stage.result_text(), &stage.error) {
            (Some(text), _) => Ok(text),
            (None, Some(error)) => Err(error.as_str()),
            (None, None) => Err("no result"),
        },
    });
    let tools = offers.iter().map(|offer| Tool {
        server: &offer.server,
        name: &offer.name,
        description: &offer.description,
        input_schema: &offer.input_schema,
    });
    Case {
        alert_type: &data.alert_type,
        severity: data.severity(),
        alert: &data.alert_data,
        runbook: data.runbook_content(),
        task: question.or(brief.task.as_deref()),
        instructions: &brief.custom_instructions,
        earlier: earlier.collect(),
        tools: tools.collect(),
        events,
        must_conclude: false,
        quoting,
    }
}

/// Returns the events of the stage: the answers and tool results so far.
fn events(transcript: &Transcript) -> Vec<Event> {
    let event = |entry: &RecordedInteraction| match entry {
        RecordedInteraction::Llm(llm) => {
            let answer = llm.result.as_ref().filter(|result| result.success)?;
            let text = answer.response_text.clone();
            Some(Event::Answer(text.unwrap_or_default()))
        }
        RecordedInteraction::Mcp(call) => {
            call.intent.tool_arguments.as_ref()?;
            let result = call.result.as_ref()?;
            let text = paging::text_of(result);
            Some(Event::ToolResult {
                tool: call.intent.step_description.clone(),
                result: match result.success {
                    true => Ok(text),
                    false => Err(result.error_message.clone().unwrap_or(text)),
                },
            })
        }
    };
    transcript.entries().iter().filter_map(event).collect()
}
