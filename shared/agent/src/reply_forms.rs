//! Determines the form of each reply of a stage from the record.

use std::collections::HashSet;

use tarsy_mcp::ToolInfo;
use tarsy_model::{LlmPurpose, LlmResult, RecordedMcp};

use crate::decision_context::DecisionContext;
use crate::evidence;
use crate::own_tools;
use crate::parsed_reply::{ParsedReply, Parser};
use crate::reply_form::ReplyForm;
use crate::transcript::{Turn, is_data_point};

/// The forms of a stage's questions, each a function of the record before it.
pub(crate) struct ReplyForms<'a> {
    pub(crate) context: &'a DecisionContext<'a>,
    /// Tools that may be named in a reply.
    offers: Vec<ToolInfo>,
    /// One form for each recorded question, then the form of the next question.
    forms: Vec<ReplyForm>,
    /// Sequence of the question whose answer was the first conclusion, given before any tool result.
    too_early: Option<i32>,
}

impl<'a> ReplyForms<'a> {
    pub(crate) fn new(context: &'a DecisionContext<'a>) -> Self {
        let transcript = context.transcript;
        let first = ReplyForm::first(context);
        let mut all = Self {
            context,
            offers: own_tools::with_own(context.offers(), &context.brief.limits),
            forms: vec![first],
            too_early: None,
        };
        let mut unread = UnreadReplies::default();
        let mut tried = vec![first];
        for turn in transcript.turns() {
            let form = all.next();
            let has_failed = match turn.answer() {
                // A reply that was acted on was readable. Names of tools that do not exist are as useless as an
                // unreadable reply. So are calls that were answered before: a small model copies its own last reply
                // endlessly.
                Some(answer) if !turn.calls.is_empty() => {
                    // The record of a tool that was not offered has no server.
                    let names_a_tool = |call: &&RecordedMcp| !call.intent.server_name.is_empty();
                    let is_acted_on =
                        turn.calls.iter().any(names_a_tool) && !transcript.only_repeats(&turn);
                    unread.has_failed((!is_acted_on).then_some(answer))
                }
                Some(answer) if turn.is_answered_iteration() => {
                    let parsed = all.parse(&turn, answer, form);
                    if matches!(parsed, ParsedReply::TooEarly(_)) {
                        all.too_early = Some(turn.llm.intent.sequence);
                    }
                    let is_read = !matches!(parsed, ParsedReply::Correction(_));
                    unread.has_failed((!is_read).then_some(answer))
                }
                Some(_) => false,
                // The provider rejected the question itself: it may not support its schema.
                None => {
                    let result = turn.llm.result.as_ref();
                    let class = result.and_then(|result| result.error_class.as_deref());
                    let is_step = turn.llm.intent.purpose != LlmPurpose::StructuredOutput;
                    form == ReplyForm::Json && is_step && class == Some("invalid_request")
                }
            };
            let next = has_failed.then(|| form.next(&tried, context)).flatten();
            if let Some(next) = next {
                tried.push(next);
                unread = UnreadReplies::default();
            }
            all.forms.push(next.unwrap_or(form));
        }
        all
    }

    /// Returns whether the vendor's tool calling is offered. If a stage began with it, every question offers it, so
    /// that the vendor still accepts a conversation with native calls.
    pub(crate) fn offers_natively(&self) -> bool {
        self.forms.first() == Some(&ReplyForm::Native)
    }

    /// Returns the form of a recorded question, by its index among all questions.
    pub(crate) fn at(&self, place: usize) -> ReplyForm {
        let form = self.forms.get(place).copied();
        form.unwrap_or_else(|| self.next())
    }

    /// Returns the form of the next question.
    pub(crate) fn next(&self) -> ReplyForm {
        self.forms.last().copied().unwrap_or(ReplyForm::Text)
    }

    /// Returns the form that was in use before, if it changes with the next question.
    pub(crate) fn changed_from(&self) -> Option<ReplyForm> {
        let (next, before) = self.forms.split_last()?;
        before.last().copied().filter(|before| before != next)
    }

    /// Parses the newest answer in its form.
    pub(crate) fn parse_newest(&self, turn: &Turn<'_>, answer: &LlmResult) -> ParsedReply {
        self.parse(turn, answer, self.newest())
    }

    /// Returns the form of the newest recorded question.
    pub(crate) fn newest(&self) -> ReplyForm {
        self.at(self.forms.len().saturating_sub(2))
    }

    /// Parses an answer in this form.
    pub(crate) fn parse(
        &self,
        turn: &Turn<'_>,
        answer: &LlmResult,
        form: ReplyForm,
    ) -> ParsedReply {
        // Some servers make native calls although the request forbids them.
        let form = match answer.tool_calls.is_some() && self.offers_natively() {
            true => ReplyForm::Native,
            false => form,
        };
        let parser = Parser {
            turn,
            answer,
            offers: &self.offers,
            context: self.context,
        };
        match parser.parse(form) {
            ParsedReply::Conclusion(text) if self.is_too_early(turn) => ParsedReply::TooEarly(text),
            parsed => parsed,
        }
    }

    /// Returns whether a conclusion in this turn is too early: it is the first one, no tool call has succeeded, and a
    /// call is still possible.
    fn is_too_early(&self, turn: &Turn<'_>) -> bool {
        let at = turn.llm.intent.sequence;
        turn.is_answered_iteration()
            && self.too_early.is_none_or(|first| first == at)
            && evidence::is_due(self.context.brief, &self.offers)
            && !self.context.transcript.calls_before(at).any(is_data_point)
            && self.may_call_after(at)
    }

    /// Returns whether the limits allow a call after the question at this position.
    fn may_call_after(&self, at: i32) -> bool {
        let (limits, transcript) = (&self.context.brief.limits, self.context.transcript);
        let mut turns = transcript.turns();
        turns.retain(|turn| turn.llm.intent.sequence <= at && turn.is_answered_iteration());
        let calls = transcript.calls_before(at).count();
        let is_below = |count, limit| u32::try_from(count).is_ok_and(|count: u32| count < limit);
        is_below(turns.len(), limits.max_iterations) && is_below(calls, limits.max_tool_calls)
    }
}

/// Unreadable replies in one form.
#[derive(Default)]
struct UnreadReplies {
    in_a_row: usize,
    seen: HashSet<(String, Option<String>)>,
}

impl UnreadReplies {
    /// Returns whether the form has failed: two unreadable replies in a row, or the same one twice. `None` stands for
    /// a reply that was read.
    fn has_failed(&mut self, unread: Option<&LlmResult>) -> bool {
        let Some(unread) = unread else {
            self.in_a_row = 0;
            return false;
        };
        self.in_a_row += 1;
        let said = unread.response_text.clone().unwrap_or_default();
        let calls = unread.tool_calls.as_ref().map(ToString::to_string);
        let is_known = !self.seen.insert((said, calls));
        is_known || self.in_a_row > 1
    }
}
