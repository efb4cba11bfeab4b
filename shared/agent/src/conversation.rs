//! The conversation so far, rebuilt from the transcript.

use tarsy_llm::{ChatMessage, StopReason};
use tarsy_model::{IterationStrategy, LlmPurpose, LlmResult};

use crate::budget;
use crate::decision_context::DecisionContext;
use crate::evidence::LOOK_FIRST;
use crate::json_form;
use crate::observe::observation;
use crate::parsed_reply::{ParsedReply, native_calls};
use crate::prompt::{self, AFTER_FIRST_RESULT, REPORT_FORM};
use crate::react::parse_reply;
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::tool_catalog::ToolCatalog;
use crate::transcript::{Transcript, Turn, is_data_point};

/// Characters that a model sees of a reply of its own that the limit of tokens cut before it did anything. A small model that reads
/// all of it writes it again.
const SHOWN_OF_CUT: usize = 400;
/// What it is told about such a reply.
const RAN_ON: &str = "Your reply reached the limit of tokens before it did anything. Write a thought of one or two sentences.";

/// All messages of the next question, and which of them no recorded question had.
pub(crate) struct Conversation {
    pub(crate) all: Vec<ChatMessage>,
    pub(crate) new: Vec<ChatMessage>,
}

/// The conversation that leads to a question of this purpose.
pub(crate) fn conversation(
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    purpose: LlmPurpose,
) -> Conversation {
    let turns = transcript.turns();
    let forms = ReplyForms::new(transcript, context);
    let all = messages(&turns, &forms, transcript, context, purpose);
    let known = match turns.split_last() {
        None => 0,
        Some((last, before)) => {
            messages(before, &forms, transcript, context, last.llm.intent.purpose).len()
        }
    };
    let new = all
        .iter()
        .skip(known)
        .filter(|m| m.role != tarsy_llm::Role::Assistant)
        .cloned()
        .collect();
    Conversation { all, new }
}

/// Sizes of the conversations that the provider found too long, oldest first, before they were cut.
pub(crate) fn refused_sizes(transcript: &Transcript, context: &DecisionContext<'_>) -> Vec<usize> {
    let turns = transcript.turns();
    let forms = ReplyForms::new(transcript, context);
    let refused = turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| turn.is_too_long());
    refused
        .map(|(at, turn)| {
            let purpose = turn.llm.intent.purpose;
            budget::total(&messages(
                &turns[..at],
                &forms,
                transcript,
                context,
                purpose,
            ))
        })
        .collect()
}

fn messages(
    turns: &[Turn<'_>],
    forms: &ReplyForms<'_>,
    transcript: &Transcript,
    context: &DecisionContext<'_>,
    purpose: LlmPurpose,
) -> Vec<ChatMessage> {
    let fence = context.fence();
    let offers = transcript.offers(context.servers);
    let first = forms.at(0);
    // The form of the report is told when a conclusion is due: at once without tools, else with the first results.
    let is_report_due =
        offers.is_empty() || context.brief.strategy == IterationStrategy::ReactFinalAnalysis;
    let mut is_form_told = is_report_due || !prompt::is_report(context.brief);
    let catalog = ToolCatalog::new(&offers, &context.brief.limits);
    let overview = prompt::ToolOverview {
        offers: &offers,
        by_name: catalog.is_some(),
        instructions: &transcript.server_instructions(context.servers),
        unreachable: &transcript.unreachable(context.servers),
        is_report_due,
        form: first,
    };
    let mut all = vec![
        ChatMessage::system(prompt::system(context.brief, first, &fence)),
        ChatMessage::user(prompt::question(context.brief, &fence, overview)),
    ];
    let mut repeats = Repeats::default();
    for (place, turn) in turns.iter().enumerate() {
        let (form, next) = (forms.at(place), forms.at(place + 1));
        let change = (form != next).then(|| {
            let tools = forms.offers_natively().then(|| match &catalog {
                Some(catalog) => catalog.loaded(transcript, turn.llm.intent.sequence),
                None => offers.clone(),
            });
            prompt::changed_form(next, tools.as_deref())
        });
        let Some(answer) = turn.answer().filter(|_| turn.is_answered_iteration()) else {
            // The provider did not take the question in this form.
            all.extend(change.map(|change| ChatMessage::user(format!("Observation: {change}"))));
            continue;
        };
        let parsed = forms.parse(turn, answer, form);
        // A refusal is nothing to conclude from, nor are tools that were loaded.
        let has_result = turn.calls.iter().any(|call| is_data_point(call));
        let times = repeats.count(answer, &parsed);
        let notice = change.or_else(|| (times > 1).then(|| prompt::same_reply_again(times, form)));
        let exchange = Exchange {
            turn,
            answer,
            form,
            notice,
            // Natively, the next question offers them.
            catalog: catalog.as_ref().filter(|_| !forms.offers_natively()),
        };
        all.extend(exchange.messages(parsed, forms, transcript, context));
        if let Some(newest) = all.last_mut()
            && has_result
            && !is_form_told
        {
            newest.content.push_str(AFTER_FIRST_RESULT);
            is_form_told = true;
        }
    }
    if purpose == LlmPurpose::ForcedConclusion {
        let report = (!is_form_told).then_some(REPORT_FORM);
        let conclude = prompt::conclude_now(forms.at(turns.len()), report);
        all.push(ChatMessage::user(conclude));
    }
    all
}

/// Counts how often a model has given the same reply that can't be acted on, without another reply between.
#[derive(Default)]
struct Repeats {
    newest: Option<String>,
    times: usize,
}

impl Repeats {
    /// How often this reply has come in a row; 0 if it can be acted on.
    fn count(&mut self, answer: &LlmResult, parsed: &ParsedReply) -> usize {
        let said = match parsed {
            ParsedReply::Correction(_) => Some(answer.response_text.clone().unwrap_or_default()),
            ParsedReply::ToolCalls { .. }
            | ParsedReply::Conclusion(_)
            | ParsedReply::TooEarly(_) => None,
        };
        self.times = match &said {
            None => 0,
            Some(_) if said == self.newest => self.times + 1,
            Some(_) => 1,
        };
        self.newest = said;
        self.times
    }
}

/// What the model said in a form, and what it was told.
struct Exchange<'a> {
    turn: &'a Turn<'a>,
    answer: &'a LlmResult,
    form: ReplyForm,
    /// What it is told in place of what is wrong with a reply that can't be acted on, or after calls that were all refused.
    notice: Option<String>,
    /// Where the parameters of tools that a call loads are, if they are shown with its result.
    catalog: Option<&'a ToolCatalog<'a>>,
}

impl Exchange<'_> {
    fn messages(
        self,
        parsed: ParsedReply,
        forms: &ReplyForms<'_>,
        transcript: &Transcript,
        context: &DecisionContext<'_>,
    ) -> Vec<ChatMessage> {
        let answer = self.answer;
        let said = answer.response_text.as_deref().unwrap_or_default();
        match parsed {
            ParsedReply::Conclusion(_) => vec![ChatMessage::assistant(said)],
            ParsedReply::TooEarly(_) => vec![
                ChatMessage::assistant(said),
                ChatMessage::user(format!("Observation: {LOOK_FIRST}")),
            ],
            ParsedReply::Correction(why) => {
                let said = if said.trim().is_empty() {
                    "(empty)"
                } else {
                    said
                };
                let mut why = self.notice.clone().unwrap_or(why);
                let mut said = said.to_owned();
                if answer.finish_reason.as_deref() == Some(StopReason::MaxTokens.as_str()) {
                    said = said.chars().take(SHOWN_OF_CUT).collect();
                    why = format!("{RAN_ON} {why}");
                }
                vec![
                    ChatMessage::assistant(said),
                    ChatMessage::user(format!("Observation: {why}")),
                ]
            }
            ParsedReply::ToolCalls {
                note, over_limit, ..
            } if !native_calls(answer).is_empty() && forms.offers_natively() => {
                debug_assert!(note.is_none());
                let tool_calls = native_calls(answer);
                // Reasoning goes back only where a signature covers it (see `ChatReply::to_message`).
                let signed = tool_calls.iter().any(|call| call.signature.is_some());
                let thinking = answer.thinking.clone().filter(|_| signed);
                let mut all = vec![ChatMessage {
                    tool_calls,
                    thinking,
                    ..ChatMessage::assistant(said)
                }];
                for (id, text) in self.observations(transcript, context) {
                    all.push(ChatMessage::tool(id.unwrap_or_default(), text));
                }
                for call in over_limit {
                    all.push(ChatMessage::tool(
                        call.id,
                        "Not called: the limit of tool calls is reached.",
                    ));
                }
                if let Some((newest, notice)) = all.last_mut().zip(self.notice.as_deref()) {
                    newest.content.push_str("\n\n");
                    newest.content.push_str(notice);
                }
                all
            }
            ParsedReply::ToolCalls { note, .. } => {
                let mut texts: Vec<String> = self
                    .observations(transcript, context)
                    .into_iter()
                    .map(|(_, text)| text)
                    .collect();
                texts.extend(note);
                texts.extend(self.notice.clone());
                // The model's own made-up observations are not sent back to it. A step, or a call that was written in place of
                // a native one, stays in the form that the model chose.
                let said = match self.form {
                    ReplyForm::Native => said.to_owned(),
                    ReplyForm::Json if json_form::read(said).is_some() => said.to_owned(),
                    ReplyForm::Json | ReplyForm::Text => parse_reply(said).to_string(),
                };
                vec![
                    ChatMessage::assistant(said.trim_end()),
                    ChatMessage::user(format!("Observation: {}", texts.join("\n\n"))),
                ]
            }
        }
    }

    /// The result of each call, with the native call that it answers.
    fn observations(
        &self,
        transcript: &Transcript,
        context: &DecisionContext<'_>,
    ) -> Vec<(Option<String>, String)> {
        let (fence, page_bytes) = (context.fence(), context.brief.limits.page_bytes());
        let calls = self.turn.calls.iter().filter_map(|call| {
            let result = call.result.as_ref()?;
            let mut text = observation(call, result, transcript, &fence, page_bytes);
            let loaded = self.catalog.map(|all| all.shown_with(call, transcript));
            if let Some(loaded) = loaded.filter(|loaded| !loaded.is_empty()) {
                text.push_str(&prompt::loaded(&loaded, &fence));
            }
            Some((call.intent.tool_call_id.clone(), text))
        });
        calls.collect()
    }
}
