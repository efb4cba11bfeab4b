//! Summaries of long tool results, by a cheaper model.
//!
//! A summary stands in for the first page of a result that is longer than a page. The result itself stays in the record:
//! the agent's own tools read it, and answers are checked against it, never against its summary. A summary that fails
//! leaves the first page. See `docs/decisions/0107-summaries-of-long-results.md`.

use tarsy_model::{LlmPurpose, RecordedLlm};

use crate::paging::{OWN_SERVER, READ_PAGE, SEARCH_RESULT};
use crate::transcript::Transcript;

/// Characters of a summary that are shown: twice what is asked for.
const MOST_SHOWN: usize = 3_000;

/// The summary of a result as the model reads it; `None`: there is none.
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

/// What the description of a question adds whose result did not fit the summarizer's window.
pub(crate) const OF_A_PART: &str = " of its beginning and end";

/// The description says which result a summary is of: with other limits when the stage is resumed, other results are long.
pub(crate) fn description(result: i32) -> String {
    format!("Result {result}: ask for a summary")
}

/// The question for a summary of this result, if it was asked.
pub(crate) fn recorded(transcript: &Transcript, result: i32) -> Option<&RecordedLlm> {
    let description = description(result);
    transcript.llms().find(|llm| {
        llm.intent.purpose == LlmPurpose::ResultSummary
            && llm.intent.step_description.starts_with(&description)
    })
}
