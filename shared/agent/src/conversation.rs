//! Rebuilds the conversation with the model from the transcript.

use tarsy_llm::{ChatMessage, Role, StopReason};
use tarsy_model::{IterationStrategy, LlmPurpose, LlmResult};

use crate::budget;
use crate::evidence::LOOK_FIRST;
use crate::fence::Fence;
use crate::json_form;
use crate::observe::observation;
use crate::parsed_reply::{ParsedReply, native_calls};
use crate::prompt::{self, AFTER_FIRST_RESULT, REPORT_FORM};
use crate::react::parse_reply;
use crate::reply_form::ReplyForm;
use crate::reply_forms::ReplyForms;
use crate::tool_catalog::ToolCatalog;
use crate::transcript::{Turn, is_data_point};

/// Characters of a reply that the model is shown again if the token limit cut it before it did anything. A small
/// model that reads its whole reply writes it again.
const SHOWN_OF_CUT: usize = 400;
/// Notice about such a reply.
const RAN_ON: &str = "Your reply reached the limit of tokens before it did anything. Write a thought of one or two sentences.";

/// Returns the conversation for a question of this purpose: all messages, and the messages that no recorded question
/// contained.
pub(crate) fn conversation(
    forms: &ReplyForms<'_>,
    purpose: LlmPurpose,
) -> (Vec<ChatMessage>, Vec<ChatMessage>) {
    let turns = forms.context.transcript.turns();
    let all = messages(&turns, forms, purpose);
    let known = turns.split_last().map_or(0, |(last, before)| {
        messages(before, forms, last.llm.intent.purpose).len()
    });
    let new = all.iter().skip(known);
    let new = new
        .filter(|message| message.role != Role::Assistant)
        .cloned()
        .collect();
    (all, new)
}

/// Returns the sizes, before cutting, of the conversations that the provider rejected as too long, oldest first.
pub(crate) fn refused_sizes(forms: &ReplyForms<'_>) -> Vec<usize> {
    let turns = forms.context.transcript.turns();
    let refused = (0..turns.len()).filter(|at| turns[*at].is_too_long());
    let purpose = |at: usize| turns[at].llm.intent.purpose;
    let asked = refused.map(|at| messages(&turns[..at], forms, purpose(at)));
    asked.map(|asked| budget::total(&asked)).collect()
}

fn messages(turns: &[Turn<'_>], forms: &ReplyForms<'_>, purpose: LlmPurpose) -> Vec<ChatMessage> {
    let context = forms.context;
    let (transcript, brief) = (context.transcript, context.brief);
    let fence = context.fence();
    let offers = context.offers();
    let first = forms.at(0);
    // The form of the report is given when a conclusion is due: at once if there are no tools, otherwise with the
    // first results.
    let is_report_due =
        offers.is_empty() || brief.strategy == IterationStrategy::ReactFinalAnalysis;
    let mut is_form_told = is_report_due || !prompt::is_report(brief);
    let catalog = ToolCatalog::new(&offers, &brief.limits);
    let overview = prompt::ToolOverview {
        offers: &offers,
        by_name: catalog.is_some(),
        instructions: &transcript.server_instructions(context.servers),
        unreachable: &transcript.unreachable(context.servers),
        is_report_due,
        form: first,
    };
    let mut all = vec![
        ChatMessage::system(prompt::system(brief, first, &fence)),
        ChatMessage::user(prompt::question(brief, &fence, overview)),
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
            // The provider rejected the question in this form.
            all.extend(change.map(|change| observed(&change)));
            continue;
        };
        let parsed = forms.parse(turn, answer, form);
        // A refused call or a call that only loads tools gives no data to conclude from.
        let has_result = turn.calls.iter().any(|call| is_data_point(call));
        let times = repeats.count(answer, &parsed);
        let notice = change.or_else(|| (times > 1).then(|| prompt::same_reply_again(times, form)));
        let exchange = Exchange {
            turn,
            answer,
            form,
            forms,
            fence: &fence,
            notice,
            // With native tool calls, the next question offers the loaded tools.
            catalog: catalog.as_ref().filter(|_| !forms.offers_natively()),
        };
        all.extend(exchange.messages(parsed));
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

fn observed(text: &str) -> ChatMessage {
    ChatMessage::user(format!("Observation: {text}"))
}

/// Counter of how often in a row the model has given the same unusable reply.
#[derive(Default)]
struct Repeats {
    newest: Option<String>,
    times: usize,
}

impl Repeats {
    /// Returns how often this reply has come in a row; 0 if it is usable.
    fn count(&mut self, answer: &LlmResult, parsed: &ParsedReply) -> usize {
        let said = matches!(parsed, ParsedReply::Correction(_))
            .then(|| answer.response_text.clone().unwrap_or_default());
        self.times = match &said {
            None => 0,
            Some(_) if said == self.newest => self.times + 1,
            Some(_) => 1,
        };
        self.newest = said;
        self.times
    }
}

/// A reply of the model in one form, with the data to build the messages that follow it.
struct Exchange<'a> {
    turn: &'a Turn<'a>,
    answer: &'a LlmResult,
    form: ReplyForm,
    forms: &'a ReplyForms<'a>,
    fence: &'a Fence,
    /// Replaces the correction of an unusable reply, or is appended after calls that were all refused.
    notice: Option<String>,
    /// Catalog of the tools, if the parameters of tools that a call loads are shown with its result.
    catalog: Option<&'a ToolCatalog<'a>>,
}

impl Exchange<'_> {
    fn messages(self, parsed: ParsedReply) -> Vec<ChatMessage> {
        let answer = self.answer;
        let said = answer.response_text.as_deref().unwrap_or_default();
        let native = native_calls(answer);
        match parsed {
            ParsedReply::Conclusion(_) => vec![ChatMessage::assistant(said)],
            ParsedReply::TooEarly(_) => vec![ChatMessage::assistant(said), observed(LOOK_FIRST)],
            ParsedReply::Correction(why) => {
                let mut said = match said.trim() {
                    "" => "(empty)".to_owned(),
                    _ => said.to_owned(),
                };
                let mut why = self.notice.unwrap_or(why);
                if answer.finish_reason.as_deref() == Some(StopReason::MaxTokens.as_str()) {
                    said = said.chars().take(SHOWN_OF_CUT).collect();
                    why = format!("{RAN_ON} {why}");
                }
                vec![ChatMessage::assistant(said), observed(&why)]
            }
            ParsedReply::ToolCalls { over_limit, .. }
                if !native.is_empty() && self.forms.offers_natively() =>
            {
                // Reasoning is sent back only if a signature covers it (see `ChatReply::to_message`).
                let signed = native.iter().any(|call| call.signature.is_some());
                let mut all = vec![ChatMessage {
                    tool_calls: native,
                    thinking: answer.thinking.clone().filter(|_| signed),
                    ..ChatMessage::assistant(said)
                }];
                for (id, text) in self.observations() {
                    all.push(ChatMessage::tool(id.unwrap_or_default(), text));
                }
                let not_called = "Not called: the limit of tool calls is reached.";
                let not_called = over_limit
                    .into_iter()
                    .map(|call| ChatMessage::tool(call.id, not_called));
                all.extend(not_called);
                if let Some((newest, notice)) = all.last_mut().zip(self.notice) {
                    newest.content.push_str("\n\n");
                    newest.content.push_str(&notice);
                }
                all
            }
            ParsedReply::ToolCalls { note, .. } => {
                let texts = self.observations().into_iter().map(|(_, text)| text);
                let texts: Vec<String> = texts.chain(note).chain(self.notice).collect();
                // Observations that the model made up are not sent back to it. A JSON step, or a call that was
                // written instead of a native one, keeps the form that the model chose.
                let said = match self.form {
                    ReplyForm::Native => said.to_owned(),
                    ReplyForm::Json if json_form::read(said).is_some() => said.to_owned(),
                    ReplyForm::Json | ReplyForm::Text => parse_reply(said).to_string(),
                };
                vec![
                    ChatMessage::assistant(said.trim_end()),
                    observed(&texts.join("\n\n")),
                ]
            }
        }
    }

    /// Returns the observation of each call, with the id of the native call that it answers.
    fn observations(&self) -> Vec<(Option<String>, String)> {
        let context = self.forms.context;
        let calls = self.turn.calls.iter().filter_map(|call| {
            let result = call.result.as_ref()?;
            let mut text = observation(call, result, self.fence, context);
            let loaded = self
                .catalog
                .map(|all| all.shown_with(call, context.transcript));
            if let Some(loaded) = loaded.filter(|loaded| !loaded.is_empty()) {
                text.push_str(&prompt::loaded(&loaded, self.fence));
            }
            Some((call.intent.tool_call_id.clone(), text))
        });
        calls.collect()
    }
}
