//! Verdicts on whole answers.

use serde_json::{Value, json};
use tarsy_model::{InteractionId, SessionVerdict as V};
use tarsy_verdict::{Case, Check, Evidence, judge};

const EVENTS: &str = r#"{"pod":"checkout-7d9f8c6b54-x2kqp","namespace":"shop","reason":"OOMKilled","exitCode":137,
"limits":{"memory":"512Mi"},"finishedAt":"2026-11-27T14:05:33Z"}"#;
const ALERT: &str = r#"{"alertname":"PodCrashLooping","namespace":"shop","pod":"checkout-7d9f8c6b54-x2kqp","severity":"high"}"#;

fn evidence(text: &str) -> Evidence<'_> {
    Evidence {
        id: InteractionId::generate(),
        arguments: r#"{"pod":"checkout-7d9f8c6b54-x2kqp"}"#.into(),
        text: text.into(),
    }
}

fn check(answer: &str, results: &[&str]) -> Check {
    check_claims(answer, results, None)
}

fn check_claims(answer: &str, results: &[&str], claims: Option<&Value>) -> Check {
    let evidence: Vec<Evidence<'_>> = results.iter().map(|text| evidence(text)).collect();
    judge(&Case {
        answer,
        claims,
        evidence: &evidence,
        known: &[ALERT, "cluster describe_pod"],
        tools_offered: true,
        answer_cut: false,
    })
}

#[test]
fn a_root_cause_that_results_show_is_supported() {
    let check = check(
        "The checkout pod ran out of memory.\n\n## Root cause\n\nContainer of `checkout-7d9f8c6b54-x2kqp` was OOMKilled with \
         exit code 137 at 14:05 UTC: its limit of 512 MiB is too low.\n\n## Next steps\n\n- `kubectl set resources deploy/checkout-v9`",
        &[EVENTS],
    );
    assert_eq!(
        (check.verdict, check.not_found.len()),
        (V::Supported, 0),
        "{check:?}"
    );
    assert_eq!(check.unknown_names, Vec::<String>::new());
    assert_eq!(
        check.summary,
        "4 of 4 names and figures of the root cause occur in tool results."
    );
}

#[test]
fn a_root_cause_that_results_show_in_part_says_what_is_missing() {
    let check = check(
        "## Root cause\n\nThe pod was OOMKilled because `session-cache-v2` leaks 900 MiB.\n\n## Evidence\n\nSee `/var/log/app.log` and `redis-main-3`.",
        &[EVENTS],
    );
    assert_eq!(check.verdict, V::PartlySupported);
    assert_eq!(check.not_found, ["session-cache-v2", "900 MiB"]);
    // Paths are listed last.
    assert_eq!(
        check.unknown_names,
        ["session-cache-v2", "redis-main-3", "/var/log/app.log"]
    );
    assert_eq!(
        check.summary,
        "1 of 3 names and figures of the root cause occur in tool results; not found: session-cache-v2, 900 MiB."
    );
}

#[test]
fn each_sentence_of_a_supported_root_cause_is_shown_and_none_is_a_guess() {
    let verdict = |cause: &str| check(&format!("## Root cause\n\n{cause}"), &[EVENTS]);
    for supported in [
        "The container was OOMKilled. Its limit is 512Mi, and it is likely to be killed again.",
        // A name from the alert counts if a result contains it too.
        "The container was OOMKilled. `checkout-7d9f8c6b54-x2kqp` ended with exit code 137.",
        "The container was OOMKilled at its limit, i.e. at 512Mi.",
        "The container was OOMKilled, which its limit of 512Mi makes unlikely to end.",
        "The container was OOMKilled. This is the root cause of the alert.",
        "The container was OOMKilled, whose limit of 512Mi may require a change.",
    ] {
        let check = verdict(supported);
        assert_eq!(check.verdict, V::Supported, "{supported}: {check:?}");
        assert_eq!(check.sentences_not_shown, Vec::<String>::new());
    }
    for (partly, not_shown) in [
        (
            "The container was OOMKilled. A new release uses more memory.",
            "A new release uses more memory.",
        ),
        (
            "- The container was OOMKilled\n- Its limit of 512Mi may have been lowered",
            "Its limit of 512Mi may have been lowered",
        ),
        (
            "The container was **most likely** OOMKilled.",
            "The container was **most likely** OOMKilled.",
        ),
        (
            "The container was OOMKilled. Its limit of 512Mi suggests a leak.",
            "Its limit of 512Mi suggests a leak.",
        ),
        (
            "The exit code 137 might indicate that the container was OOMKilled.",
            "The exit code 137 might indicate that the container was OOMKilled.",
        ),
    ] {
        let check = verdict(partly);
        assert_eq!(check.verdict, V::PartlySupported, "{partly}: {check:?}");
        assert_eq!(check.sentences_not_shown, [not_shown]);
    }
    assert_eq!(
        verdict("The container was OOMKilled. It has a leak. It was seen before.").summary,
        "1 of 1 names and figures of the root cause occur in tool results. 2 sentences of it are guesses, or name nothing that they contain, \
         the first: It has a leak."
    );
}

#[test]
fn evidence_does_not_support_a_root_cause_that_names_nothing() {
    let named = "## Root cause\n\nThe container was OOMKilled.\n\n## Evidence\n\nexit code 137";
    assert_eq!(check(named, &[EVENTS]).verdict, V::Supported);
    let vague = "## Root cause\n\nThe pod waits for something.\n\n## Evidence\n\n`OOMKilled`, exit code 137";
    let checked = check(vague, &[EVENTS]);
    assert_eq!(
        (checked.verdict, checked.checked),
        (V::PartlySupported, 0),
        "{checked:?}"
    );
    assert_eq!(
        checked.summary,
        "The root cause names nothing that could be looked up beyond what the alert says."
    );
    let small = check("## Root cause\n\n2 of 3 do not work.", &["2 of 3"]);
    assert_eq!(
        (small.verdict, &*small.summary),
        (
            V::Unsupported,
            "Of the root cause, tool results contain small numbers alone."
        )
    );
    let scheduler = "0/2 nodes are available: 2 Insufficient cpu.";
    let pending = "## Root cause\n\nThe pod waits, since the nodes have insufficient CPU.";
    assert_eq!(check(pending, &[scheduler]).verdict, V::Supported);
    assert_eq!(
        check(pending, &["2 Insufficient memory"]).verdict,
        V::Unsupported
    );
    // The paragraph before the first heading may name the cause.
    let above = format!("The container was OOMKilled.\n\n{vague}");
    assert_eq!(check(&above, &[EVENTS]).verdict, V::Supported);
}

#[test]
fn an_invented_root_cause_is_unsupported_whatever_of_the_alert_it_repeats() {
    let invented = "## Root cause\n\nPod `checkout-7d9f8c6b54-x2kqp` in `shop` can't reach `payments-db-primary`: connection refused on port 5432.";
    assert_eq!(check(invented, &[EVENTS]).verdict, V::Unsupported);
    // The answer names only what the alert names, and the results contain that too.
    let repeated = "## Root cause\n\nPod `checkout-7d9f8c6b54-x2kqp` has a fault.";
    assert_eq!(check(repeated, &[EVENTS]).verdict, V::PartlySupported);
    assert_eq!(
        check("It is broken somehow.", &[EVENTS]).verdict,
        V::Unsupported
    );
}

#[test]
fn without_results_nothing_was_investigated() {
    let answer = "Root cause: the pod was OOMKilled. Confidence: high";
    let checked = check(answer, &[]);
    assert_eq!(checked.verdict, V::NotInvestigated);
    assert_eq!(
        checked.summary,
        "Tools were offered, but no tool call succeeded."
    );
    let case = Case {
        answer,
        claims: None,
        evidence: &[],
        known: &[],
        tools_offered: false,
        answer_cut: false,
    };
    assert_eq!(judge(&case).verdict, V::NotChecked);
}

#[test]
fn an_answer_that_finds_no_cause_is_inconclusive() {
    for answer in [
        "## Root cause\n\nNot established. The logs had been rotated.",
        "## Root cause\n\nThe root cause could not be determined from the available data.",
        "The root cause is unknown: `checkout` had restarted before.",
        "I was unable to determine the root cause of the restarts.",
        "The service answers on port 512.\n\n## Root cause\n\nThe restart was not due to a critical error or a failure.\n\n## Evidence\n\n512Mi",
    ] {
        assert_eq!(
            check(answer, &[EVENTS]).verdict,
            V::Inconclusive,
            "{answer}"
        );
    }
    for answer in [
        "## Root cause\n\nThe container was OOMKilled with exit code 137. Why its memory grew could not be determined.",
        "## Root cause\n\nAn unknown image tag: OOMKilled.",
        "## Root cause\n\nThe restart was not due to the node, but to OOMKilled.",
        "## Root cause\n\nThe restart was not due to the node. The container was OOMKilled.",
        "## Root cause\n\nNot caused by the node; caused by OOMKilled.",
    ] {
        assert_ne!(
            check(answer, &[EVENTS]).verdict,
            V::Inconclusive,
            "{answer}"
        );
    }
}

#[test]
fn an_answer_that_nothing_is_wrong_is_no_fault() {
    for answer in [
        "This is a false alarm.",
        "No issues were found in the cluster. All pods run.",
        "## Root cause\n\nNo fault was found. The limit of 512 MiB is kept.",
        "No action is required: everything is healthy.",
        "There is no incident. The node was drained for maintenance.",
        "No problem was found with the service.",
        "No further issues exist. Everything is normal.",
    ] {
        assert_eq!(check(answer, &[EVENTS]).verdict, V::NoFault, "{answer}");
    }
    for answer in [
        "The node is healthy, but the container was OOMKilled.",
        "No issues were found on the node, however the pod was OOMKilled.",
        "The failure was caused by OOMKilled, no doubt.",
        "The container was OOMKilled. No problem was found with DNS.",
        "No problem was found with DNS. The container was OOMKilled.",
        "The container was OOMKilled. No other issues were found.",
        "The root cause is the network. There is no problem with the pods.",
        "No issues were found in the logs. The disk is full.",
    ] {
        assert_ne!(check(answer, &[EVENTS]).verdict, V::NoFault, "{answer}");
    }
    assert_eq!(
        check("This is a false alarm.", &[]).verdict,
        V::NotInvestigated
    );
}

#[test]
fn claims_are_held_against_the_calls_that_they_cite() {
    let answer = "## Root cause\n\nOOMKilled at a limit of 512Mi.";
    let (pods, logs) = (evidence(EVENTS), evidence("ERROR java heap space"));
    let evidence = [pods.clone(), logs.clone()];
    let claims = json!([
        {"text": "The container was OOMKilled.", "calls": [{"interaction_id": pods.id}]},
        {"text": "The limit is 512Mi.", "calls": [{"interaction_id": logs.id}]},
        {"text": "Users can't pay.", "calls": [], "not_shown": "it cites no call"},
    ]);
    let check = judge(&Case {
        answer,
        claims: Some(&claims),
        evidence: &evidence,
        known: &[ALERT],
        tools_offered: true,
        answer_cut: false,
    });
    assert_eq!(check.claims, Some(3));
    assert_eq!(
        check.claims_not_shown,
        [
            (1, "its calls do not show 512Mi".to_owned()),
            (2, "it cites no call".to_owned())
        ]
    );
    assert_eq!(check.verdict, V::PartlySupported);
}

#[test]
fn what_was_asked_about_counts_only_where_there_is_an_answer() {
    let answer = "## Root cause\n\nThe pod `ledger-5` was OOMKilled.";
    let call = |text| Evidence {
        arguments: r#"{"pod":"ledger-5"}"#.into(),
        ..evidence(text)
    };
    let verdict = |text| {
        let evidence = [call(text)];
        judge(&Case {
            answer,
            claims: None,
            evidence: &evidence,
            known: &[],
            tools_offered: true,
            answer_cut: false,
        })
        .verdict
    };
    assert_eq!(verdict("Last State: OOMKilled"), V::Supported);
    assert_eq!(
        verdict("No resources found in shop namespace. OOMKilled"),
        V::PartlySupported
    );
}

#[test]
fn names_go_on_as_kubernetes_makes_them() {
    let found = |claim: &str, result: &str| {
        tarsy_verdict::check_claim(claim, &[result], &[])
            .unwrap()
            .is_empty()
    };
    assert!(found("`checkout` fails", "pod checkout-7d9f8c6b54-x2kqp"));
    assert!(found("`ledger` fails", "ledger-0 is not ready"));
    assert!(found("`pod/checkout` fails", "name: checkout"));
    assert!(found(
        "`shop/checkout` fails",
        "namespace: shop, name: checkout"
    ));
    assert!(found(
        "`auth.shop.svc` fails",
        "service auth in namespace shop"
    ));
    assert!(!found("`checkout` fails", "checkout-db-0 is not ready"));
    assert!(!found("`orders` fails", "preorders is not ready"));
    assert!(!found("`10.0.4.1` fails", "10.0.4.17 is not ready"));
    assert!(!found(
        "`checkout-7d9f8c6b54-x2kqp` fails",
        "checkout is not ready"
    ));
}

#[test]
fn a_distance_between_two_times_is_not_looked_up() {
    let claim = "It was removed at 16:05 UTC, 37 minutes before the namespace.";
    let results = ["removed 2026-11-18T16:05:44Z, namespace 2026-11-18T16:42:10Z"];
    assert_eq!(
        tarsy_verdict::check_claim(claim, &results, &[]),
        Some(vec![])
    );
}

#[test]
fn words_of_english_are_no_names() {
    let answer = "The out-of-memory kill is a long-running, client-side issue (e.g. read-only file systems) of a 5-minute window; see the follow-up and/or the CPU/memory graphs. It's well-known.";
    assert_eq!(check(answer, &[EVENTS]).unknown_names, Vec::<String>::new());
}

#[test]
fn results_beyond_the_limit_are_left_out() {
    let much = "x ".repeat(tarsy_verdict::MAX_EVIDENCE_BYTES / 2 + 10);
    let check = check("## Root cause\n\nOOMKilled", &[EVENTS, &much]);
    assert!(check.evidence_cut);
    assert_eq!(check.verdict, V::Supported);
}

#[test]
fn names_of_the_root_cause_are_those_that_results_show_and_the_alert_does_not() {
    let result =
        r#"{"configMap":"Cart-Config","writer":"config-sync","pod":"checkout-7d9f8c6b54-x2kqp"}"#;
    let check = check(
        "## Root cause\n\n`config-sync` wrote `Cart-Config`, which `checkout-7d9f8c6b54-x2kqp` and `session-cache-v2` read.",
        &[result],
    );
    assert_eq!(
        check.cause_names,
        ["cart-config", "config-sync"],
        "{check:?}"
    );
}
