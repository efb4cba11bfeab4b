//! When the model is given the form of a report, and which replies count as a report.

use serde_json::json;
use tarsy_agent::{AgentBrief, Transcript};
use tarsy_model::{AgentLimits, IterationStrategy};

use crate::fakes::*;
use crate::strategies::outcome_of;

/// Returns where a text names the parts of the report.
fn parts_of_report(text: &str) -> Vec<usize> {
    const PARTS: [&str; 6] = [
        "Titled Root cause",
        "Titled Evidence",
        "Titled Ruled out",
        "Titled Impact",
        "Titled Next steps",
        "Titled Confidence",
    ];
    PARTS.iter().filter_map(|part| text.find(part)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_form_of_a_report_for_people_is_told_once_with_the_first_result() {
    for (strategy, for_people) in [
        (IterationStrategy::React, true),
        (IterationStrategy::Regular, true),
        (IterationStrategy::ReactStage, false),
        (IterationStrategy::ReactTools, false),
        (IterationStrategy::ReactToolsPartial, false),
    ] {
        let call = match strategy {
            IterationStrategy::Regular => native(&[("k8s__pods_list", json!({"n": 1}))]),
            _ => act("k8s.pods_list", &json!({"n": 1})),
        };
        let other = match strategy {
            IterationStrategy::Regular => native(&[("k8s__pods_list", json!({"n": 2}))]),
            _ => act("k8s.pods_list", &json!({"n": 2})),
        };
        let model = FakeModel::turns(vec![call, other, said("Final Answer: The quota.")]);
        outcome_of(strategy, &model).await;
        let asked = model.asked();
        assert_eq!(asked.len(), 3);
        let first = &asked[0].messages[1].content;
        assert_eq!(parts_of_report(first), [0; 0], "{strategy}: {first}");
        assert!(
            first.trim_end().lines().count() > 1 && !first.ends_with("Begin!"),
            "{strategy}: it ends with the task"
        );
        let told = |at: usize| parts_of_report(&asked[2].messages[at].content);
        let expected = if for_people { 6 } else { 0 };
        assert_eq!((told(3).len(), told(5).len()), (expected, 0), "{strategy}");
        assert!(told(3).is_sorted(), "{strategy}");
    }
}

/// A small model writes its report as soon as it reads the form of a report.
#[tokio::test(start_paused = true)]
async fn the_form_of_a_report_is_not_told_with_a_call_that_was_refused() {
    let model = FakeModel::turns(vec![
        act("k8s.get_pods", &json!({})),
        act("k8s.pods_list", &json!({})),
        said("Final Answer: The quota."),
    ]);
    outcome_of(IterationStrategy::React, &model).await;
    let last = model.asked().pop().expect("a question");
    let told = |at: usize| parts_of_report(&last.messages[at].content).len();
    assert_eq!((told(3), told(5)), (0, 6));
}

#[tokio::test(start_paused = true)]
async fn the_form_of_a_report_is_told_at_once_where_nothing_can_be_called() {
    let model = FakeModel::turns(vec![said("The quota.")]);
    outcome_of(IterationStrategy::ReactFinalAnalysis, &model).await;
    assert_eq!(
        parts_of_report(&model.asked()[0].messages[1].content).len(),
        6
    );

    let model = FakeModel::turns(vec![said("Final Answer: The quota.")]);
    let (tools, recorder) = (
        FakeTools {
            offers: Vec::new(),
            ..FakeTools::new()
        },
        MemoryRecorder::default(),
    );
    let brief = brief(IterationStrategy::React);
    let end = run(&brief, &model, &tools, &recorder, Transcript::default()).await;
    end.expect("an outcome");
    assert_eq!(
        parts_of_report(&model.asked()[0].messages[1].content).len(),
        6
    );
}

#[tokio::test(start_paused = true)]
async fn a_forced_conclusion_names_the_form_of_a_report_that_was_not_told() {
    let model = FakeModel::turns(vec![said("Hm.")]);
    let brief = AgentBrief {
        limits: AgentLimits {
            max_iterations: 2,
            ..AgentLimits::default()
        },
        ..brief(IterationStrategy::React)
    };
    let recorder = MemoryRecorder::default();
    let end = run(
        &brief,
        &model,
        &FakeTools::new(),
        &recorder,
        Transcript::default(),
    )
    .await;
    end.expect("an outcome");
    let asked = model.asked();
    let last = asked[2].messages.last().expect("a message");
    assert!(
        last.content
            .contains("The limit of this investigation is reached.")
    );
    assert_eq!(parts_of_report(&last.content).len(), 6);
}

const REPORT: &str =
    "The quota is full.\n\n## Root cause\nThe quota.\n\n## Evidence\n`pods_list` says so.";

const LABELLED: &str = "Root cause: The quota.\nEvidence: `pods_list` says so.";
const HEADED: &str = "## Root cause\n\nThe quota.\n\n## Evidence\n\n`pods_list` says so.";

#[tokio::test(start_paused = true)]
async fn a_report_that_is_not_marked_as_the_final_answer_is_one_when_a_call_has_succeeded() {
    for (written, meant) in [
        (REPORT.to_owned(), REPORT),
        (format!("Thought: I know enough.\n\n{REPORT}"), REPORT),
        (LABELLED.to_owned(), HEADED),
        (format!("Thought: {LABELLED}"), HEADED),
    ] {
        let model = FakeModel::turns(vec![
            act("k8s.pods_list", &json!({})),
            said(written.clone()),
        ]);
        let outcome = outcome_of(IterationStrategy::React, &model).await;
        assert_eq!(analysis(&outcome), meant);
        assert_eq!(model.asked().len(), 2);

        // Without a tool result the text does not count as a report, and the model gets the instructions for a reply.
        let model = FakeModel::turns(vec![
            said(written),
            act("k8s.pods_list", &json!({})),
            said("Final Answer: ok"),
        ]);
        let outcome = outcome_of(IterationStrategy::React, &model).await;
        assert_eq!(analysis(&outcome), "ok");
        assert!(
            model.asked()[1].messages[3]
                .content
                .starts_with("Observation: Your reply has")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_repeats_itself_is_not_told_the_same_again() {
    let model = FakeModel::turns(vec![
        said("Let me think."),
        said("Let me think."),
        said("Let me think."),
        said("Final Answer: ok"),
    ]);
    outcome_of(IterationStrategy::React, &model).await;
    let asked = model.asked();
    let told: Vec<&str> = [3, 5, 7]
        .map(|at| asked[3].messages[at].content.as_str())
        .into();
    assert!(told[0] != told[1] && told[1] != told[2], "{told:?}");
}
