//! `tarsy eval judge` asks once per answer, and adds a separate column that is not part of the score. `publish` stores
//! the figures.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tarsy_eval::Case;
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest};
use tarsy_testing::process::Program;
use tarsy_tests::{Fleet, SOON, scene};

use super::{Evaluation, expert, generated, right_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_has_a_column_and_no_word_in_the_score() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, output) = (folder.path().join("cases"), folder.path().join("run"));
    generated::write(&cases, 3, 6);
    let read = Case::read_all(std::slice::from_ref(&cases)).unwrap();
    let read: Vec<Case> = read.into_iter().map(|(_, case)| case).collect();
    let questions: usize = read.iter().map(|case| case.truth.facts.len().max(1)).sum();
    let denies = Arc::new(AtomicBool::new(false));
    let llm = {
        let denies = denies.clone();
        let answer = move |request: &SeenRequest| match request.contains("Reply with one word") {
            true if denies.load(Ordering::SeqCst) => Behaviour::text("No."),
            true => Behaviour::text("**Yes**, it does."),
            false => expert(&read, request),
        };
        FakeLlm::start(answer).await.unwrap()
    };
    let evaluation = Evaluation::new(&llm, &output, "").await;
    let run = evaluation.program(std::slice::from_ref(&cases), 4);
    assert!(run.start().unwrap().ended(SOON).await.success());
    let before = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(!before.contains("judge"), "{before}");
    let asked = llm.count();

    let judge = async || {
        let judge = evaluation.judge(&cases).start().unwrap();
        assert!(judge.ended(SOON).await.success());
        fs::read_to_string(output.join("report.md")).unwrap()
    };
    let report = judge().await;
    assert_eq!(llm.count() - asked, 3 * questions);
    let agreed = format!("| judge `fake-1` agrees with the program | {questions} of {questions}");
    assert!(report.contains(&agreed), "{report}");
    assert_eq!(judge().await, report, "the same from the kept replies");
    assert_eq!(llm.count() - asked, 3 * questions, "nothing is asked twice");

    fs::remove_file(output.join("judge.json")).unwrap();
    denies.store(true, Ordering::SeqCst);
    let denied = judge().await;
    let agreed = format!("| judge `fake-1` agrees with the program | 0 of {questions}");
    assert!(denied.contains(&agreed), "{denied}");
    assert!(
        denied.contains(&right_of(6)),
        "its word changes no score: {denied}"
    );

    let fleet = Fleet::new(scene::play).await;
    let api = fleet.ingest().await;
    let publish = Program::new("tarsy").arg("--url").arg(&api.url);
    let publish = ["eval", "publish", "--name", "new prompt", "--against"]
        .iter()
        .fold(publish, Program::arg);
    let publish = publish.arg(&output).arg(&output).start().unwrap();
    assert!(publish.ended(SOON).await.success());
    let kept = reqwest::get(format!("{}/api/v1/evaluations", api.url)).await;
    let kept: serde_json::Value = kept.unwrap().json().await.unwrap();
    let kept = &kept["evaluations"][0];
    assert_eq!(kept["name"], "new prompt");
    assert_eq!(
        (&kept["summary"]["right"], &kept["summary"]["cases"]),
        (&6.into(), &6.into())
    );
    assert_eq!(kept["summary"]["judge"]["same"], 0);
    assert_eq!(kept["summary"]["against"]["name"], "run");
    assert_eq!(kept["summary"]["tags"][0]["tag"], "generated");
}
