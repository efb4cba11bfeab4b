//! Context of a question from its conversation: the newest turns in full, and older ones as a
//! summary. Does no I/O.

use tarsy_model::{EarlierTurn, SessionId};
use tarsy_store::knowledge_memory::KnowledgeMemory;

/// Stage of the chain that summarises; its output is `{summary}`.
pub(super) const STAGE: &str = "memory-summary";

/// Maximum number of turns in a question's context, and their maximum size in bytes.
const BUDGET: (usize, usize) = (6, 6_000);
/// Limits for the turns that remain when the rest is summarised. They are lower, so that not every
/// next question needs a new summary.
const KEPT: (usize, usize) = (3, 3_000);
/// Maximum number of bytes that are summarised at once. Older turns are dropped.
const SUMMARIZED: usize = 40_000;

/// The members of `alert.data` about the conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Remembered {
    /// The newest turns, newest first.
    pub(super) history: Vec<String>,
    /// Summary of the turns before `summarize` and `history`.
    pub(super) summary: Option<String>,
    /// Turns that must be summarised now, newest first.
    pub(super) summarize: Vec<String>,
    /// Session of the newest turn in `summarize`.
    pub(super) summarize_until: Option<SessionId>,
}

impl Remembered {
    pub(super) fn from_memory(memory: KnowledgeMemory) -> Self {
        let (sessions, mut history): (Vec<_>, Vec<_>) = memory
            .turns
            .into_iter()
            .map(|(session, turn)| (session, text(&turn)))
            .unzip();
        let mut summarize = Vec::new();
        if fitting(&history, BUDGET) < history.len() {
            // The newest turn always stays, regardless of its length.
            summarize = history.split_off(fitting(&history, KEPT).max(1));
        }
        let summarize_until = match summarize.is_empty() {
            true => None,
            false => sessions.get(history.len()).copied(),
        };
        summarize.truncate(fitting(&summarize, (usize::MAX, SUMMARIZED)).max(1));
        Self {
            history,
            summary: memory.summary,
            summarize,
            summarize_until,
        }
    }
}

fn text(turn: &EarlierTurn) -> String {
    let answer = turn.answer.as_deref().unwrap_or("(no answer)");
    format!("Question: {}\nAnswer: {answer}", turn.question)
}

/// Returns how many of the texts fit into a number of texts and bytes.
fn fitting(texts: &[String], (most, bytes): (usize, usize)) -> usize {
    let mut used = 0;
    let fits = texts.iter().take(most).take_while(|text| {
        // Includes the blank line between two texts.
        used += text.len() + 2;
        used <= bytes
    });
    fits.count()
}

#[cfg(test)]
mod tests {
    use tarsy_model::{EarlierTurn, SessionId};
    use tarsy_store::knowledge_memory::KnowledgeMemory;

    use super::{BUDGET, Remembered, SUMMARIZED};

    /// Creates turns of these sizes in bytes, newest first.
    fn memory(bytes: &[usize]) -> (Vec<SessionId>, KnowledgeMemory) {
        let turn = |bytes: &usize| {
            let turn = EarlierTurn {
                question: "q".repeat(bytes - "Question: \nAnswer: (no answer)".len()),
                answer: None,
            };
            (SessionId::generate(), turn)
        };
        let turns: Vec<_> = bytes.iter().map(turn).collect();
        let sessions = turns.iter().map(|(session, _)| *session).collect();
        let summary = Some("before".to_owned());
        (sessions, KnowledgeMemory { summary, turns })
    }

    /// Returns the numbers of turns that are kept and summarised, and the position of the newest
    /// summarised one.
    fn remembered(bytes: &[usize]) -> (usize, usize, Option<usize>) {
        let (sessions, memory) = memory(bytes);
        let remembered = Remembered::from_memory(memory);
        assert_eq!(remembered.summary.as_deref(), Some("before"));
        let until = remembered
            .summarize_until
            .map(|until| sessions.iter().position(|one| *one == until).unwrap());
        (remembered.history.len(), remembered.summarize.len(), until)
    }

    #[test]
    fn a_conversation_within_the_budget_is_remembered_as_it_was() {
        assert_eq!(
            Remembered::from_memory(KnowledgeMemory::default()),
            Remembered::default()
        );
        assert_eq!(remembered(&[100; BUDGET.0]), (6, 0, None));
        assert_eq!(remembered(&[1_998, 1_998, 1_998]), (3, 0, None));
    }

    #[test]
    fn beyond_it_the_older_turns_are_summarised() {
        assert_eq!(remembered(&[100; 7]), (3, 4, Some(3)));
        assert_eq!(remembered(&[1_998, 1_998, 1_999]), (1, 2, Some(1)));
        assert_eq!(remembered(&[1_000, 5_000, 100]), (1, 2, Some(1)));
        // The newest turn stays. If it is the only one, nothing is summarised.
        assert_eq!(remembered(&[7_000]), (1, 0, None));
        assert_eq!(remembered(&[7_000, 50]), (1, 1, Some(1)));
    }

    #[test]
    fn what_is_older_than_a_summary_can_hold_is_forgotten() {
        assert_eq!(remembered(&[2_000; 40]), (1, 19, Some(1)));
        let (kept, summarized, until) = remembered(&[100, SUMMARIZED * 2, 100]);
        assert_eq!((kept, summarized, until), (1, 1, Some(1)));
    }
}
