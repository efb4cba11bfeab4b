use serde_json::{Value as Json, json};
use tarsy_model::StageStatus;

use super::facts::StageFact;
use super::syntax::{FILTERS, TESTS};
use super::*;

fn facts() -> Facts {
    let mut facts = Facts::new(json!({
        "type": "CheckoutErrors", "severity": "critical", "data": {"namespace": "prod-shop", "replicas": 3}
    }));
    let completed = |output: Json| StageFact {
        status: StageStatus::Completed,
        output: Some(output),
        error: None,
    };
    facts.set(
        "triage",
        completed(
            json!({"result": "The pod was OOMKilled.", "data": {"severity": "high", "fix": true}}),
        ),
    );
    facts.set("data-collection", completed(json!({"result": "nothing"})));
    facts.set(
        "gate",
        StageFact {
            status: StageStatus::Skipped,
            output: None,
            error: Some("the condition is false".into()),
        },
    );
    facts
}

fn holds(source: &str) -> Result<bool, ConditionError> {
    Condition::parse(source)?.holds(&facts())
}

#[test]
fn conditions_read_the_alert_and_settled_stages() {
    for (source, expected) in [
        ("true", true),
        (
            "stages.triage.status == 'completed' and 'OOMKilled' in stages.triage.text",
            true,
        ),
        ("stages.triage.data.severity in ['critical', 'high']", true),
        ("stages.triage.data.fix", true),
        ("not stages.triage.data.fix", false),
        ("stages['data-collection'].text == 'nothing'", true),
        (
            "alert.severity == 'critical' and alert.data.namespace is startingwith 'prod'",
            true,
        ),
        ("alert.data.replicas > 5", false),
        (
            "alert.data.region is defined and alert.data.region == 'eu'",
            false,
        ),
        ("stages.gate.status == 'skipped'", true),
        ("stages.gate.error is string", true),
        ("stages.triage.text | lower | length > 3", true),
    ] {
        assert_eq!(holds(source), Ok(expected), "{source}");
    }
}

#[test]
fn what_a_stage_that_did_not_complete_left_counts_as_false() {
    assert_eq!(holds("stages.gate.data.approved"), Ok(false));
    assert_eq!(
        holds("stages.gate.data.approved and stages.triage.data.fix"),
        Ok(false)
    );
    assert_eq!(holds("stages.gate.data"), Ok(false));
}

#[test]
fn a_condition_without_a_boolean_value_has_no_answer() {
    assert_eq!(
        holds("stages.triage.data.typo"),
        Err(ConditionError::Undefined)
    );
    assert_eq!(
        holds("alert.data.typo == 3"),
        Err(ConditionError::Undefined)
    );
    assert_eq!(
        holds("stages.triage.text"),
        Err(ConditionError::NotBoolean("string".into()))
    );
    assert_eq!(holds("1"), Err(ConditionError::NotBoolean("number".into())));
    assert!(matches!(
        holds("alert.severity > 3 + 'a'"),
        Err(ConditionError::Evaluation(_))
    ));
}

#[test]
fn a_condition_that_is_not_allowed_is_refused_when_it_is_read() {
    for (source, expected) in [
        ("stages", ConditionError::BareStages),
        ("stages[alert.type]", ConditionError::BareStages),
        ("(stages).triage | length", ConditionError::BareStages),
        ("env.HOME == 'x'", ConditionError::UnknownName("env".into())),
        ("range(10) | length > 3", ConditionError::Call),
        ("alert.type.lower() == 'x'", ConditionError::Call),
        (
            "alert.type | safe",
            ConditionError::UnknownFilter("safe".into()),
        ),
        (
            "alert.type is filter",
            ConditionError::UnknownTest("filter".into()),
        ),
    ] {
        match (Condition::parse(source), source) {
            (Ok(_), "(stages).triage | length") => {}
            (Err(error), _) => assert_eq!(error, expected, "{source}"),
            (Ok(_), _) => panic!("{source} is accepted"),
        }
    }
    assert!(matches!(
        Condition::parse("a =="),
        Err(ConditionError::Syntax(_))
    ));
    assert!(matches!(
        Condition::parse(""),
        Err(ConditionError::Syntax(_))
    ));
    let long = format!("true{}", " and true".repeat(200));
    assert!(matches!(
        Condition::parse(&long),
        Err(ConditionError::TooLong)
    ));
}

#[test]
fn a_condition_that_works_for_too_long_is_stopped() {
    let source = "('a' * 1000000000) | length > 0";
    assert!(
        matches!(holds(source), Err(ConditionError::Evaluation(_))),
        "{:?}",
        holds(source)
    );
}

#[test]
fn every_listed_filter_and_test_exists() {
    for filter in FILTERS {
        let source = format!("[1] | {filter}");
        let result = ENVIRONMENT
            .compile_expression(&source)
            .expect("compiles")
            .eval(());
        assert!(
            result
                .as_ref()
                .err()
                .is_none_or(|error| error.kind() != ErrorKind::UnknownFilter),
            "{filter}: {result:?}"
        );
    }
    for test in TESTS {
        let source = format!("[1] is {test}");
        let result = ENVIRONMENT
            .compile_expression(&source)
            .expect("compiles")
            .eval(());
        assert!(
            result
                .as_ref()
                .err()
                .is_none_or(|error| error.kind() != ErrorKind::UnknownTest),
            "{test}: {result:?}"
        );
    }
}
