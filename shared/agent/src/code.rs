//! Agents written in Rust: the record of a stage as they see it, and their steps as actions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tarsy_agent_api::{Case, CodeAgent, EarlierStage, Event, Step, Tool};
use tarsy_llm::ChatMessage;
use tarsy_mcp::ToolInfo;
use tarsy_model::{
    LlmIntent, LlmPurpose, McpResult, RecordedInteraction, RecordedLlm, RecordedMcp,
};

use crate::approval::with_approval;
use crate::conclude::{completed, failed, no_answer};
use crate::decision_context::DecisionContext;
use crate::limit::{LimitReached, limit_reached};
use crate::next::{Action, tools_first};
use crate::open_calls::open_calls;
use crate::plan::Planner;
use crate::question::{Question, halvings, may_ask_again};
use crate::transcript::Transcript;
use crate::{FailureClass, budget, paging};

/// Decides the next action: carries on what was begun, else what the agent's code says.
pub(crate) fn investigate(
    agent: &dyn CodeAgent,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    if let Some(first) = tools_first(transcript, context) {
        return first;
    }
    let begun_call = transcript.calls_before(i32::MAX).next_back();
    let begun_call = begun_call.filter(|call| call.result.is_none());
    let turns = transcript.turns();
    let question = turns.last().map(|turn| turn.llm);
    let limit = limit_reached(transcript, context)
        .or_else(|| context.is_time_up().then_some(LimitReached::Time));
    // What was begun was allowed then.
    let is_begun =
        begun_call.is_some() || question.is_some_and(|question| question.result.is_none());
    let limit = limit.filter(|_| !is_begun);
    if let Some(RecordedLlm {
        intent,
        result: Some(result),
        ..
    }) = question
        && !result.success
    {
        return match may_ask_again(result, transcript, context) && !context.remaining.is_zero() {
            true => step(agent, transcript, context, limit, Some((intent, true))),
            false => {
                let (class, why) = no_answer(result);
                Action::Finish(failed(class, why))
            }
        };
    }
    let begun = question.filter(|question| question.result.is_none());
    step(
        agent,
        transcript,
        context,
        limit,
        begun.map(|question| (&question.intent, false)),
    )
}

/// What the agent says next. `asked`: the question that is asked again, and whether it was answered with a failure.
fn step(
    agent: &dyn CodeAgent,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    limit: Option<LimitReached>,
    asked: Option<(&LlmIntent, bool)>,
) -> Action {
    let events = events(transcript);
    let offers = transcript.offers(context.servers);
    let fence = context.fence();
    let quoting = |label: &str, text: &str| fence.wrap(label, text);
    let case = Case {
        must_conclude: limit.is_some(),
        quoting: &quoting,
        ..case(context, &offers, &events)
    };
    let failed = |why: String| Action::Finish(failed(FailureClass::Code, why));
    let Ok(next) = catch_unwind(AssertUnwindSafe(|| agent.next(&case))) else {
        return failed(format!("the agent `{}` panicked", agent.name()));
    };
    let concluding = transcript.turns().iter().any(|turn| {
        turn.llm.intent.purpose == LlmPurpose::ForcedConclusion && turn.answer().is_some()
    });
    match (next, limit) {
        (Step::Conclude(text), limit) => {
            Action::Finish(completed(&text, limit, transcript, context))
        }
        (Step::Fail(why), _) => failed(why),
        (Step::Call { .. } | Step::Ask { .. }, _) if context.remaining.is_zero() => {
            Action::Finish(crate::conclude::failed(
                FailureClass::Deadline,
                "the stage timed out before the agent concluded",
            ))
        }
        (Step::Call { .. }, Some(limit)) => beyond(limit),
        (Step::Ask { .. }, Some(limit)) if concluding => beyond(limit),
        (Step::Ask { system, prompt }, limit) => {
            let purpose = match (asked, limit) {
                (Some((intent, _)), _) => intent.purpose,
                (None, Some(_)) => LlmPurpose::ForcedConclusion,
                (None, None) => LlmPurpose::Iteration,
            };
            let messages = vec![ChatMessage::system(system), ChatMessage::user(prompt)];
            ask(messages, purpose, asked, transcript, context)
        }
        (Step::Call { tool, arguments }, None) => {
            call(&tool, arguments, &offers, transcript, context)
        }
    }
}

fn beyond(limit: LimitReached) -> Action {
    Action::Finish(failed(
        FailureClass::NoConclusion,
        format!(
            "the agent did not conclude at the limit of {}",
            limit.as_str().replace('_', " ")
        ),
    ))
}

fn case<'a>(
    context: &DecisionContext<'a>,
    offers: &'a [ToolInfo],
    events: &'a [Event],
) -> Case<'a> {
    let brief = context.brief;
    let data = &brief.data;
    let question = brief
        .follow_up
        .as_ref()
        .map(|asked| asked.question.as_str());
    Case {
        alert_type: &data.alert_type,
        severity: data.severity(),
        alert: &data.alert_data,
        runbook: data.runbook_content(),
        task: question.or(brief.task.as_deref()),
        instructions: &brief.custom_instructions,
        earlier: data
            .stage_outputs
            .iter()
            .map(|stage| EarlierStage {
                name: &stage.stage_name,
                result: stage
                    .result_text()
                    .ok_or_else(|| stage.error.as_deref().unwrap_or("no result")),
            })
            .collect(),
        tools: offers
            .iter()
            .map(|offer| Tool {
                server: &offer.server,
                name: &offer.name,
                description: &offer.description,
                input_schema: &offer.input_schema,
            })
            .collect(),
        events,
        must_conclude: false,
        quoting: &|_, text| text.to_owned(),
    }
}

/// What has come of the steps so far.
fn events(transcript: &Transcript) -> Vec<Event> {
    let event = |entry: &RecordedInteraction| match entry {
        RecordedInteraction::Llm(llm) => {
            let answer = llm.result.as_ref().filter(|result| result.success)?;
            Some(Event::Answer(
                answer.response_text.clone().unwrap_or_default(),
            ))
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

fn ask(
    all: Vec<ChatMessage>,
    purpose: LlmPurpose,
    asked: Option<(&LlmIntent, bool)>,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    // The row of a question that was begun; one that failed gets a new row.
    let begun = asked
        .filter(|(_, has_failed)| !has_failed)
        .map(|(intent, _)| intent);
    let new_messages = match asked {
        Some((_, true)) => Vec::new(),
        _ => all.clone(),
    };
    let iteration = transcript.next_iteration();
    // The code asks the same question until it is answered.
    let turns = transcript.turns();
    let asked_before = turns
        .iter()
        .rev()
        .skip_while(|turn| turn.llm.result.is_none());
    let refused = asked_before.take_while(|turn| turn.is_too_long()).count();
    let others = halvings(transcript).saturating_sub(u32::try_from(refused).unwrap_or(u32::MAX));
    let allowance = budget::allowance(context.profile, &[], others);
    let sizes = std::iter::repeat_n(budget::total(&all), refused);
    let allowance = budget::after_refusals(allowance, sizes);
    Action::AskModel(Box::new(Question {
        recorded: begun.map(|intent| intent.interaction_id),
        sequence: begun.map_or_else(|| transcript.next_sequence(), |intent| intent.sequence),
        iteration,
        purpose,
        messages: budget::fit(all, allowance).0,
        new_messages,
        tools: Vec::new(),
        forbid_tools: false,
        is_data: false,
        response_schema: None,
        stops_at_observation: false,
        form_change: None,
        timeout: context.brief.limits.llm_call_timeout.min(context.remaining),
        step_description: format!("Question {iteration}: ask model"),
    }))
}

fn call(
    tool: &str,
    arguments: Value,
    offers: &[ToolInfo],
    transcript: &Transcript,
    context: &DecisionContext<'_>,
) -> Action {
    let recorded: Vec<&RecordedMcp> = transcript.calls_before(i32::MAX).collect();
    let begun = recorded.last().filter(|call| call.result.is_none());
    let sequence = begun.map_or_else(|| transcript.next_sequence(), |call| call.intent.sequence);
    let iteration = transcript.next_iteration();
    let mut planner = Planner::at(sequence, iteration, transcript, context, offers);
    planner.add(tool, arguments, None);
    let Some(mut call) = planner.planned.pop() else {
        return beyond(LimitReached::ToolCalls);
    };
    // Code that reads again wants to know what is new.
    let is_repeat = |answer: &McpResult| paging::repeat_of(answer).is_some();
    call.answer = call.answer.filter(|answer| !is_repeat(answer));
    if let Some(begun) = begun
        && (begun.intent.tool_name.as_deref() != Some(&*call.tool)
            || begun.intent.server_name != call.server)
    {
        return Action::Finish(failed(
            FailureClass::Code,
            format!(
                "the agent's code wants to call `{tool}` where it has begun to call `{}`: it must decide alike for the same events",
                begun.intent.step_description
            ),
        ));
    }
    match with_approval(call, transcript, context) {
        Ok(call) => Action::CallTools(open_calls(vec![call], &recorded, transcript)),
        Err(asked) => Action::Wait(asked),
    }
}
