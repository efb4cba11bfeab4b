//! `tarsy eval run --diagnose`: sessions begin with the findings of the rules for Kubernetes.

use std::fs;

use tarsy_tests::SOON;

use super::{Evaluation, cases, model, right_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_model_starts_from_the_findings_of_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("run");
    let llm = model().await;
    let case = cases().join("k8s-oom-kill.yaml");
    let evaluation = Evaluation::new(&llm, &output, "").await;
    let run = evaluation
        .program(std::slice::from_ref(&case), 1)
        .arg("--diagnose");
    assert!(run.start().unwrap().ended(SOON * 2).await.success());

    let requests = llm.requests();
    let finding = "**Deployment shop/cart** (`out_of_memory`)";
    assert!(requests[0].contains(finding), "{:?}", requests[0]);
    assert!(
        !requests[0].contains("- diagnosis-"),
        "agents have no tool for it"
    );
    let report = fs::read_to_string(output.join("report.md")).unwrap();
    assert!(report.contains(", after a diagnosis"), "{report}");
    assert!(report.contains(&right_of(1)), "{report}");
    // The three calls of the expert. The diagnosis does not count as a call.
    assert!(report.contains("| tool calls | 3 |"), "{report}");

    let sessions_of_both = evaluation.program(&[case], 1).start().unwrap();
    let refused = "this run has provider `fake`, model `fake-1`, strategy `react`, configuration";
    sessions_of_both.printed(refused, SOON).await;
    assert!(!sessions_of_both.ended(SOON).await.success());
    assert_eq!(llm.requests().len(), requests.len(), "nothing is bought");
}
