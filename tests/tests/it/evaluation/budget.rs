//! `tarsy eval run --budget`: no case is started beyond the budget, and a run with a larger budget continues.

use std::fs;
use std::path::Path;

use tarsy_eval::Case;
use tarsy_testing::fake_llm::{FakeLlm, SeenRequest};
use tarsy_tests::SOON;

use super::{Evaluation, expert, generated, right_of};

const CASES: usize = 12;

async fn model(folder: &Path) -> FakeLlm {
    generated::write(folder, 7, CASES);
    let cases = Case::read_all(&[folder.to_owned()]).unwrap();
    let cases: Vec<Case> = cases.into_iter().map(|(_, case)| case).collect();
    FakeLlm::start(move |request: &SeenRequest| expert(&cases, request))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_stops_starting_cases_and_a_larger_one_continues() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    let llm = model(&cases).await;
    let output = folder.path().join("run");
    // A token costs ten cents, so the first session that ends has cost more than one dollar.
    let prices = "prices: {fake-1: {input_per_million: 100000, output_per_million: 100000}}\n";
    let evaluation = Evaluation::new(&llm, &output, prices).await;
    let run = |budget: &str| {
        let program = evaluation.program(std::slice::from_ref(&cases), 2);
        program.arg("--budget").arg(budget).start().unwrap()
    };

    let stopped = run("1.00");
    stopped
        .printed("the budget of $1.00 is reached", SOON)
        .await;
    assert!(!stopped.ended(SOON).await.success());
    let ran = fs::read_dir(output.join("sessions")).unwrap().count();
    assert!((1..=4).contains(&ran), "{ran} of {CASES} cases were run");
    let report = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(report.contains(&right_of(ran)), "{report}");
    assert!(report.contains("| estimated cost | $"), "{report}");
    let asked = llm.count();

    let again = run("1.00");
    again.printed("the budget of $1.00 is reached", SOON).await;
    assert!(!again.ended(SOON).await.success());
    assert_eq!(llm.count(), asked, "nothing is bought beyond the budget");

    let whole = run("1000000");
    assert!(whole.ended(SOON * 2).await.success());
    let report = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(report.contains(&right_of(CASES)), "{report}");
    assert_eq!(llm.count(), 3 * CASES, "no question is bought twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_without_a_price_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    let llm = model(&cases).await;
    let evaluation = Evaluation::new(&llm, &folder.path().join("run"), "").await;
    let refused = evaluation.program(&[cases], 2).arg("--budget").arg("5.00");
    let refused = refused.start().unwrap();
    refused.printed("--budget needs a price", SOON).await;
    assert!(!refused.ended(SOON).await.success());
    assert_eq!(llm.count(), 0);
}
