//! Tests the payloads that are sent of a growing answer.

use std::sync::Arc;

use tarsy_llm::{AnswerObserver as _, ChatRequest};
use tarsy_masking::Masker;
use tarsy_model::{AnswerPart, AnswerPiece, ClaimRef, ExecutionId, InteractionId, SessionId};
use tarsy_queue::LONGEST_BROADCAST;
use tarsy_store::interactions::StageFence;
use uuid::Uuid;

use super::growing::{Draft, GrowingAnswer, ShownText};
use super::{Answers, Shared};

fn fence() -> StageFence {
    StageFence {
        session_id: SessionId::generate(),
        execution_id: ExecutionId::generate(),
        claim: ClaimRef {
            job_id: Uuid::now_v7(),
            owner: Uuid::now_v7(),
            epoch: 3,
        },
    }
}

fn masker() -> Arc<Masker> {
    Arc::new(Masker::group("security").expect("the group"))
}

fn answer() -> GrowingAnswer {
    let answer = GrowingAnswer::new(
        fence(),
        InteractionId::generate(),
        ShownText::All,
        masker(),
        || {},
    );
    answer.attempt();
    answer
}

/// A subscriber that applies the pieces as `docs/LIVE.md` describes.
#[derive(Default)]
struct Watcher(Vec<u16>);

impl Watcher {
    fn take(&mut self, payloads: &[String]) -> String {
        for payload in payloads {
            assert!(payload.len() <= LONGEST_BROADCAST);
            let piece: AnswerPiece = serde_json::from_str(payload).expect("a piece");
            assert_eq!(piece.epoch, 3);
            let offset = usize::try_from(piece.offset).expect("an offset");
            assert!(offset <= self.0.len(), "no gap");
            self.0.truncate(offset);
            self.0.extend(piece.text.encode_utf16());
        }
        String::from_utf16(&self.0).expect("whole characters")
    }
}

const PROSE: &str = "Der Größe nach 🙂 it is the volume claim that keeps the namespace and the finalizer of it that keeps the claim ";

#[test]
fn each_piece_continues_where_the_last_ended() {
    let (answer, mut watcher) = (answer(), Watcher::default());
    let (mut all, mut shown) = (String::new(), String::new());
    for _ in 0..50 {
        answer.piece(AnswerPart::Text, PROSE);
        all.push_str(PROSE);
        shown = watcher.take(&answer.news(0));
        assert!(all.starts_with(&shown));
    }
    assert!(shown.len() + 200 > all.len());
    assert!(answer.news(0).is_empty(), "nothing new, nothing sent");
}

#[test]
fn a_long_text_is_sent_in_pieces_that_fit() {
    let (answer, mut watcher) = (answer(), Watcher::default());
    answer.piece(AnswerPart::Text, &"\u{1} \u{2} ".repeat(4_000));
    let mut shown = String::new();
    let mut turns = 0;
    while turns == 0 || answer.has_more() {
        shown = watcher.take(&answer.news(0));
        turns += 1;
    }
    assert!(
        shown.len() > 15_000 && turns > 1,
        "{} in {turns}",
        shown.len()
    );
}

#[test]
fn who_joins_sees_it_from_the_beginning() {
    let (answer, mut early) = (answer(), Watcher::default());
    answer.piece(AnswerPart::Text, &PROSE.repeat(3));
    let seen = early.take(&answer.news(1));
    answer.piece(AnswerPart::Text, PROSE);
    let again = answer.news(2);
    let mut late = Watcher::default();
    assert_eq!(late.take(&again), early.take(&again));
    assert!(late.take(&[]).starts_with(&seen));
}

#[test]
fn a_new_attempt_begins_anew() {
    let (answer, mut watcher) = (answer(), Watcher::default());
    answer.piece(AnswerPart::Text, &PROSE.repeat(3));
    watcher.take(&answer.news(0));
    answer.attempt();
    assert!(answer.news(0).is_empty());
    answer.piece(
        AnswerPart::Text,
        &"Another model says something else altogether ".repeat(3),
    );
    let news = answer.news(0);
    let piece: AnswerPiece = serde_json::from_str(&news[0]).expect("a piece");
    assert_eq!((piece.attempt, piece.offset), (2, 0));
    assert!(watcher.take(&news).starts_with("Another model"));
}

#[test]
fn a_secret_that_is_cut_between_pieces_is_never_sent() {
    let answer = answer();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!(
        "{PROSE}{PROSE}and the log says that {secret} was used to pull the image, which {PROSE}"
    );
    let mut sent = String::new();
    for letter in text.chars() {
        answer.piece(AnswerPart::Text, &letter.to_string());
        sent.push_str(&answer.news(0).concat());
    }
    assert!(sent.contains("[MASKED_"), "{sent}");
    assert!(!sent.contains("ghp_16"), "{sent}");
    assert!(!sent.contains("16C7e4"), "{sent}");
}

#[test]
fn what_is_too_long_is_left_to_the_record() {
    let answer = answer();
    for _ in 0..10_000 {
        answer.piece(AnswerPart::Text, PROSE);
    }
    let mut sent = 0;
    while sent == 0 || answer.has_more() {
        sent += answer.news(0).concat().len();
    }
    assert!(sent < 64 * 1024, "{sent}");
}

/// Returns the parts that are sent of an answer with reasoning and text.
fn sent_of(is_data: bool) -> Vec<AnswerPart> {
    let request = ChatRequest {
        request_id: InteractionId::generate().to_string(),
        is_data,
        ..ChatRequest::default()
    };
    let answers = Answers(Arc::new(Shared::default()));
    let answer = answers
        .begin(fence(), &request, &masker(), None)
        .expect("an answer");
    answer.attempt();
    answer.piece(AnswerPart::Thinking, &PROSE.repeat(2));
    answer.piece(AnswerPart::Text, &PROSE.repeat(2));
    let pieces = answer.news(0).into_iter();
    pieces
        .map(|payload| {
            let piece: AnswerPiece = serde_json::from_str(&payload).expect("a piece");
            piece.part
        })
        .collect()
}

#[test]
fn data_is_not_shown_while_it_comes() {
    assert_eq!(sent_of(false), [AnswerPart::Thinking, AnswerPart::Text]);
    assert_eq!(sent_of(true), [AnswerPart::Thinking]);
}

#[test]
fn a_draft_is_the_text_of_one_member_as_masking_and_policies_leave_it() {
    let draft = Draft {
        member: "answer".to_owned(),
        policies: Arc::new(Masker::group("network").expect("the group")),
    };
    let shown = ShownText::Draft(draft);
    let answer = GrowingAnswer::new(fence(), InteractionId::generate(), shown, masker(), || {});
    answer.attempt();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let text = format!(
        "{PROSE}\nThe host 10.20.30.40 says {secret} [7]. {}",
        PROSE.repeat(3)
    );
    let reply = serde_json::json!({"citations": ["10.20.30.41"], "answer": text}).to_string();
    let (mut watcher, mut wire, mut shown) = (Watcher::default(), String::new(), String::new());
    for character in reply.chars() {
        answer.piece(AnswerPart::Text, character.encode_utf8(&mut [0; 4]));
        let news = answer.news(0);
        assert!(
            news.iter().all(|piece| piece.contains(r#""part":"draft""#)),
            "{news:?}"
        );
        wire.push_str(&news.concat());
        shown = watcher.take(&news);
    }
    assert!(shown.starts_with(PROSE.trim_end()), "{shown}");
    assert!(
        shown.contains("The host [MASKED_IPV4] says [MASKED_GITHUB_TOKEN] [7]."),
        "{shown}"
    );
    for leaked in ["10.20", &secret[..8], &secret[20..], "citations"] {
        assert!(!wire.contains(leaked), "{leaked} in {wire}");
    }
}
