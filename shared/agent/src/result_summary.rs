//! Summaries of long tool results, written by a cheaper model.
//!
//! The model reads a summary in place of the first page of a result that is longer than a page. The result itself
//! stays in the record. The agent's built-in tools read it, and answers are checked against it, never against its
//! summary. If a summary fails, the first page is shown. See `docs/decisions/0107-summaries-of-long-results.md`.

use tarsy_model::{LlmPurpose, RecordedLlm};

use crate::paging::{OWN_SERVER, READ_PAGE, SEARCH_RESULT};
use crate::transcript::Transcript;

/// Most characters of a summary that are shown: twice as many as are asked for.
const MOST_SHOWN: usize = 3_000;

/// Returns the summary of a result as the model reads it; `None` if there is none.
pub(crate) fn shown(text: &str, result: i32, transcript: &Transcript) -> Option<String> {
    let asked = recorded(transcript, result)?;
    let answer = asked.result.as_ref().filter(|answer| answer.success)?;
    let summary = answer.response_text.as_deref()?.trim();
    let cut: String = summary.chars().take(MOST_SHOWN).collect();
    if cut.is_empty() {
        return None;
    }
    let part = match asked.intent.step_description.ends_with(OF_A_PART) {
        true => "beginning and end of ",
        false => "",
    };
    Some(format!(
        "{cut}\n[summary by another model of {part}result {result}, which has {} characters; check what you use of it with \
         {OWN_SERVER}.{SEARCH_RESULT} {{\"result\": {result}, \"grep\": \"error|fail\", \"after\": 3}}, or read the result with \
         {OWN_SERVER}.{READ_PAGE} {{\"result\": {result}, \"page\": 1}}]",
        text.len()
    ))
}

/// Suffix of the description of a question whose result did not fit the summarizer's window.
pub(crate) const OF_A_PART: &str = " of its beginning and end";

/// Returns the description of the question for a summary. It names the result, because other results count as long if
/// the limits have changed when the stage is resumed.
pub(crate) fn description(result: i32) -> String {
    format!("Result {result}: ask for a summary")
}

/// Returns the recorded question for a summary of this result, if there is one.
pub(crate) fn recorded(transcript: &Transcript, result: i32) -> Option<&RecordedLlm> {
    let description = description(result);
    transcript.llms().find(|llm| {
        llm.intent.purpose == LlmPurpose::ResultSummary
            && llm.intent.step_description.starts_with(&description)
    })
}
