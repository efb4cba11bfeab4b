//! Scores, reports and comparisons: each must react to the fault that it measures.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use tarsy_eval::{
    Call, Case, Report, Score, Session, Settings, Summary, compare, diagnose, diagnosis_markdown,
    lint, score,
};

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases");
    let cases = Case::read_all(&[folder]).unwrap();
    cases.into_iter().map(|(_, case)| case).collect()
}

/// Returns a session that makes the expert's calls and states every fact.
fn golden(case: &Case) -> Session {
    let facts = case.truth.facts.iter().map(|fact| fact.0[0].clone());
    let answer: Vec<String> = match case.truth.healthy {
        true => vec!["Nothing is wrong: the service is healthy.".to_owned()],
        false => facts.collect(),
    };
    let calls: Vec<Call> = case
        .truth
        .path
        .iter()
        .filter_map(|tool| case.records.iter().find(|record| record.tool == *tool))
        .map(tarsy_eval::Record::as_call)
        .collect();
    Session {
        status: "completed".to_owned(),
        answer: Some(answer.join(". ")),
        replies: calls.len() + 1,
        readable_replies: calls.len() + 1,
        calls,
        ..Session::default()
    }
}

fn faulty(case: &Case, change: impl FnOnce(&mut Session)) -> Score {
    let mut session = golden(case);
    change(&mut session);
    score(case, &session)
}

#[test]
fn the_own_cases_measure_something() {
    let cases = cases();
    assert!(cases.len() >= 12, "{}", cases.len());
    let findings: Vec<_> = cases.iter().flat_map(lint).collect();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn the_rules_find_most_origins_and_nothing_in_healthy_cases() {
    let all: Vec<_> = cases().iter().map(diagnose).collect();
    let count =
        |is: &dyn Fn(&tarsy_eval::Diagnosed) -> bool| all.iter().filter(|one| is(one)).count();
    let text = diagnosis_markdown(&all);
    assert!(count(&|one| one.origin.is_some()) >= 14, "{text}");
    assert!(count(&|one| one.has_object() == Some(true)) >= 12, "{text}");
    assert!(
        count(&|one| one.has_object_and_cause() == Some(true)) >= 10,
        "{text}"
    );
    assert_eq!(
        count(&|one| one.healthy && !one.findings.is_empty()),
        0,
        "{text}"
    );
    assert!(
        text.contains(
            "| k8s-quota-exceeded | ResourceQuota reports/team-reports `quota_exceeded` | yes |"
        ),
        "{text}"
    );
}

#[test]
fn a_diagnosis_without_findings_counts_as_no_fault() {
    let healthy = cases().into_iter().find(|case| case.truth.healthy).unwrap();
    let session = Session {
        status: "completed".to_owned(),
        answer: Some(diagnose(&healthy).report),
        ..Session::default()
    };
    assert!(score(&healthy, &session).is_right());
}

#[test]
fn an_expert_s_session_is_right_and_covers_the_path() {
    for case in cases() {
        let score = score(&case, &golden(&case));
        assert!(score.is_right() && score.is_scored(), "{score:#?}");
        assert_eq!(score.path_called, score.path, "{}", case.id);
        assert!(!score.is_false_alarm(), "{}", case.id);
        assert!(
            case.truth.healthy || score.first_shown.is_some(),
            "{}",
            case.id
        );
    }
}

#[test]
fn each_fault_changes_the_score_that_is_for_it() {
    for case in cases() {
        let id = &case.id;
        let other = faulty(&case, |session| {
            session.answer = Some("It was DNS.".to_owned())
        });
        assert!(!other.is_right(), "{id}: a wrong answer");
        assert_eq!(other.is_false_alarm(), case.truth.healthy, "{id}");
        assert!(
            !faulty(&case, |session| session.status = "failed".to_owned()).is_right(),
            "{id}"
        );
        let lazy = faulty(&case, |session| session.calls.clear());
        assert_eq!(
            (lazy.calls, lazy.path_called, lazy.first_shown),
            (0, 0, None),
            "{id}"
        );
        assert!(lazy.counted().all(|fact| !fact.shown), "{id}: guessed");
        let twice = faulty(&case, |session| session.calls.extend(session.calls.clone()));
        assert_eq!(twice.repeated, golden(&case).calls.len(), "{id}");
        let lost = faulty(&case, |session| {
            session
                .calls
                .iter_mut()
                .for_each(|call| call.is_missing = true)
        });
        assert!(
            !lost.is_scored(),
            "{id}: nothing was recorded for its calls"
        );
        for forbidden in &case.truth.forbidden {
            let harmful = faulty(&case, |session| {
                session
                    .answer
                    .as_mut()
                    .unwrap()
                    .push_str(&format!(" So {forbidden}."));
            });
            assert!(!harmful.is_right(), "{id}: {forbidden}");
        }
    }
}

/// Tests the scorers other than that of the answer. Each reacts to its own fault, and does not change whether the
/// answer is right.
#[test]
fn each_scorer_of_evidence_path_and_cost_reacts_to_its_fault() {
    for case in cases().into_iter().filter(|case| !case.truth.healthy) {
        let (id, good) = (&case.id, score(&case, &golden(&case)));
        let check =
            |what: &str, change: &dyn Fn(&mut Session), is_seen: &dyn Fn(&Score) -> bool| {
                let score = faulty(&case, change);
                assert!(
                    is_seen(&score) && score.is_right(),
                    "{id}: {what}: {score:#?}"
                );
                assert!(!is_seen(&good), "{id}: {what} is seen without it");
            };
        check(
            "a call that was refused",
            &|session| session.calls[0].refused = true,
            &|score| score.refused == 1 && score.calls + 1 == good.calls,
        );
        check(
            "a call that shows nothing before the first that does",
            &|session| {
                let mut idle = session.calls[0].clone();
                idle.tool = "version".to_owned();
                idle.result = "1.0".to_owned();
                session.calls.insert(0, idle);
            },
            &|score| score.first_shown == good.first_shown.map(|position| position + 1),
        );
        check(
            "a tool of the path that was not called",
            &|session| session.calls.retain(|call| call.tool != case.truth.path[0]),
            &|score| score.path_called < good.path_called,
        );
        check(
            "results that show nothing: right for the wrong reason",
            &|session| {
                session
                    .calls
                    .iter_mut()
                    .for_each(|call| call.result.clear())
            },
            &|score| score.counted().all(|fact| fact.said && !fact.shown),
        );
        check(
            "a reply that was neither call nor conclusion",
            &|session| session.replies += 1,
            &|score| score.readable_replies < score.replies,
        );
        check("more tokens", &|session| session.tokens += 7, &|score| {
            score.tokens == good.tokens + 7
        });
        check("more money", &|session| session.cost_usd += 0.5, &|score| {
            score.cost_usd > good.cost_usd
        });
    }
}

#[test]
fn what_is_read_of_a_session_reacts_to_what_was_recorded() {
    let reply = |iteration: i64| {
        serde_json::json!({"type": "llm", "iteration": iteration, "success": true,
            "details": {"purpose": "iteration", "total_tokens": 100, "cost_usd": 0.25}})
    };
    let call = serde_json::json!({"type": "mcp", "iteration": 1, "success": true, "details": {"communication_type": "tool_call",
        "server_name": "cluster", "tool_name": "pods_list", "parameters": {"namespace": "a"}, "result": "web 1/1"}});
    let read = |interactions: &[serde_json::Value]| {
        let export = serde_json::json!({"status": "completed", "verdict": "supported", "final_analysis": "All is well.",
            "duration_ms": 2500, "stages": [{"chronological_interactions": interactions}]});
        Session::read(&export.to_string()).unwrap()
    };
    let whole = read(&[reply(1), call.clone(), reply(2)]);
    assert_eq!((whole.replies, whole.readable_replies), (2, 2));
    assert_eq!(
        (whole.tokens, whole.cost_usd, whole.seconds),
        (200, 0.5, 2.5)
    );
    assert_eq!(
        (whole.calls.len(), whole.calls[0].result.as_str()),
        (1, "web 1/1")
    );
    assert_eq!(
        read(&[reply(1), reply(2)]).readable_replies,
        1,
        "the first called nothing"
    );
    let changed = |name: &str, value: serde_json::Value| {
        let mut call = call.clone();
        call["details"][name] = value;
        read(&[reply(1), call, reply(2)])
    };
    assert!(changed("refused", true.into()).calls[0].refused);
    assert!(changed("result", "no recorded data for these arguments".into()).calls[0].is_missing);
    for not_a_source in ["tarsy", "sub-agents"] {
        assert_eq!(changed("server_name", not_a_source.into()).calls, []);
    }
    let given = changed("server_name", "diagnosis-1".into());
    assert!(given.calls.is_empty() && given.diagnosis.is_some());
    let mut failed = call.clone();
    failed["success"] = false.into();
    assert!(!read(&[reply(1), failed, reply(2)]).calls[0].success);
}

fn report(sessions: &[(Case, Session)]) -> Report {
    let settings = Settings {
        provider: "scripted".to_owned(),
        ..Settings::default()
    };
    Report::new(settings, sessions)
}

#[test]
fn a_report_is_the_same_again_and_a_worse_run_is_called_worse() {
    let good: Vec<_> = cases()
        .into_iter()
        .map(|case| (case.clone(), golden(&case)))
        .collect();
    let mut shuffled = good.clone();
    shuffled.reverse();
    assert_eq!(report(&good).markdown(), report(&shuffled).markdown());
    assert_eq!(report(&good).fault(), None);
    assert_eq!(report(&[]).fault().as_deref(), Some("no case was run"));
    let with = |hash: &str| Report {
        settings: Settings {
            configuration: Some(hash.to_owned()),
            ..report(&good).settings
        },
        ..report(&good)
    };
    let compared = |new: &Report| compare(&with("aaaaaaaaaaaa"), new).markdown();
    assert!(compared(&with("bbbbbbbbbbbb")).starts_with(
        "Before: provider `scripted`, model ``, strategy ``, configuration `aaaaaaaaaaaa`. Now: "
    ));
    assert!(compared(&with("aaaaaaaaaaaa")).starts_with("Both with "));

    let bad: Vec<_> = good
        .iter()
        .map(|(case, session)| {
            let session = Session {
                answer: Some("Everything was checked.".to_owned()),
                ..session.clone()
            };
            (case.clone(), session)
        })
        .collect();
    let worse = compare(&report(&good), &report(&bad));
    assert!(worse.is_worse(), "{worse:?}");
    assert_eq!(worse.regressed.len(), good.len());
    let better = compare(&report(&bad), &report(&good));
    assert!(!better.is_worse() && !compare(&report(&good), &report(&good)).is_worse());
    assert_eq!(better.improved, worse.regressed);

    let kept = |new: &Report, old: &Report| {
        serde_json::to_value(Summary::new(new, Some(("before", old)))).unwrap()
    };
    let kept = kept(&report(&bad), &with("aaaaaaaaaaaa"));
    assert_eq!(kept["right"], 0, "the new report's figures");
    assert_eq!(kept.get("configuration"), None);
    assert_eq!(kept["against"]["name"], "before");
    assert_eq!(
        kept["against"]["regressed"],
        serde_json::json!(worse.regressed)
    );
    assert_eq!(kept["against"]["improved"], serde_json::json!([]));
}

/// A near miss: most of the system is healthy, but the answer names a cause.
#[test]
fn a_healthy_part_beside_a_cause_is_a_false_alarm() {
    let case = cases().into_iter().find(|case| case.truth.healthy).unwrap();
    for answer in [
        "All nodes are healthy. The root cause is a memory leak of the web pods.",
        "The database is healthy, but the pod was OOMKilled.",
        "Root cause: the network. No problem was found with DNS.",
    ] {
        let alarmed = faulty(&case, |session| session.answer = Some(answer.to_owned()));
        assert!(alarmed.is_false_alarm() && !alarmed.is_right(), "{answer}");
    }
}

#[test]
fn a_stated_cause_makes_a_fact_of_each_name_in_it() {
    let truth = tarsy_eval::Truth::from_cause("config-sync wrote cart-config; config-sync is old");
    let facts: Vec<&str> = truth.facts.iter().map(|fact| fact.0[0].as_str()).collect();
    assert_eq!(facts, ["config-sync", "cart-config"]);
    let truth = tarsy_eval::Truth::from_cause("The disk is full");
    assert_eq!(truth.facts[0].0, ["The disk is full"]);
    assert_eq!(truth.cause.as_deref(), Some("The disk is full"));
}
