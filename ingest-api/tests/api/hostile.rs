//! Every accepted document can be read by every reader. Rejected ones are refused with the field's name.

mod legacy;
mod readers;

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use self::readers::Readers;
use crate::server::{IntoAnswer as _, Server};

/// Generates members of an object, as text that `serde_json::Value` could not always represent.
fn members() -> impl Strategy<Value = String> {
    prop::collection::vec((key(), value()), 0..5).prop_map(|members| {
        let members: Vec<_> = members
            .into_iter()
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        members.join(" ,\n")
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => "\"[a-d]{1,2}\"",
        1 => Just("\"severity\"".to_owned()),
        1 => Just("\"labels\"".to_owned()),
        1 => Just("\"\"".to_owned()),
        1 => string(),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![4 => number(), 3 => string(), 1 => Just("null".to_owned()), 1 => Just("false".to_owned())];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(("\"[a-c]\"", inner.clone()), 0..5).prop_map(|all| {
                let all: Vec<_> = all.into_iter().map(|(k, v)| format!("{k}:{v}")).collect();
                format!("{{{}}}", all.join(","))
            }),
            (
                prop::sample::select(vec![30_usize, 60, 63, 64, 119, 125, 128, 500]),
                inner
            )
                .prop_map(|(depth, inner)| format!(
                    "{}{inner}{}",
                    "[".repeat(depth),
                    "]".repeat(depth)
                )),
        ]
    })
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "-0", "-0.0", "0e0", "1e309", "-1e309", "1e-400", "1e308", "1.7976931348623157e308", "1.797e308", "1e400",
            "4.9e-324", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
            "9007199254740993123456789", "0.1000000000000000055511151231257827", "1.50", "1E+2", "123e-7",
        ]).prop_map(str::to_owned),
        2 => "-?[1-9][0-9]{0,40}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?",
        1 => (300_usize..320).prop_map(|digits| "9".repeat(digits)),
        1 => any::<f64>().prop_filter("JSON has no NaN", |n| n.is_finite()).prop_map(|n| n.to_string()),
    ]
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "\"[^\\x00-\\x1f\"\\\\]{0,12}\"",
        1 => prop::sample::select(vec![
            r#""\u0000""#, r#""\ud800""#, r#""\udc00\ud800""#, r#""\ud83d\ude80""#, r#""\u0022\\\/\b""#, r#""\u001f""#,
            r#""\uffff\ufeff""#, "\"\u{202e}\u{7f}\"",
        ]).prop_map(str::to_owned),
        1 => (1_000_usize..200_000).prop_map(|length| format!("\"{}\"", "x".repeat(length))),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_accepted_is_read_by_every_reader() {
    let server = Server::start().await;
    let readers = tokio::sync::Mutex::new(Readers::start(&server).await);
    let handle = tokio::runtime::Handle::current();
    let check = |members: String| {
        tokio::task::block_in_place(|| {
            handle.block_on(async {
                let body = format!(
                    r#"{{"alert_type": "kubernetes", "runbook": "local:a", "data": {{{members}}}, "beside": {{{members}}}}}"#
                );
                let answer = server.post_raw("/alerts", body).send().await.unwrap().into_answer().await;
                match answer.status.as_u16() {
                    202 => {
                        let session = answer.body["session_id"].as_str().unwrap();
                        readers.lock().await.all_read(session, answer.body["status"] == "queued").await;
                    }
                    400 => assert_eq!(answer.body["code"], "malformed_json", "{answer:?}"),
                    422 => assert!(answer.body["errors"][0]["field"].is_string(), "{answer:?}"),
                    other => panic!("{other}: {answer:?}"),
                }
            });
        });
        Ok(())
    };
    runner().run(&members(), check).unwrap();
}

fn runner() -> TestRunner {
    TestRunner::new(Config {
        cases: 160,
        failure_persistence: None,
        ..Config::default()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_webhook_accepts_is_read_by_every_reader() {
    let sources = "webhooks:\n  cloudevents: {alert_type: {default: kubernetes}}\n";
    let server = Server::configured(sources).await;
    let readers = tokio::sync::Mutex::new(Readers::start(&server).await);
    let accepted = AtomicUsize::new(0);
    let handle = tokio::runtime::Handle::current();
    let check = |(source, members): (&str, String)| {
        let number = accepted.load(Ordering::Relaxed);
        let body = match source {
            "alertmanager" => format!(
                r#"{{"alerts": [{{"status": "firing", "labels": {{"alertname": "kubernetes"}}, "fingerprint": "f{number}",
                    "startsAt": "2026-11-20T10:00:00Z", "annotations": {{{members}}}, "beside": {{{members}}}}}]}}"#
            ),
            _ => format!(
                r#"{{"specversion": "1.0", "id": "{number}", "source": "/test", "type": "alarm", "data": {{{members}}}}}"#
            ),
        };
        tokio::task::block_in_place(|| {
            handle.block_on(async {
                let answer = server
                    .post_raw(&format!("/webhooks/{source}"), body)
                    .send()
                    .await
                    .unwrap()
                    .into_answer()
                    .await;
                let result = &answer.body["results"][0];
                match answer.status.as_u16() {
                    202 => {
                        let session = result["session_id"]
                            .as_str()
                            .unwrap_or_else(|| panic!("{answer:?}"));
                        accepted.fetch_add(1, Ordering::Relaxed);
                        readers.lock().await.all_read(session, true).await;
                    }
                    400 => assert_eq!(answer.body["code"], "malformed_json", "{answer:?}"),
                    422 => assert!(
                        result["problem"]["errors"][0]["field"].is_string(),
                        "{answer:?}"
                    ),
                    other => panic!("{other}: {answer:?}"),
                }
            });
        });
        Ok(())
    };
    let bodies = (
        prop::sample::select(vec!["alertmanager", "cloudevents"]),
        members(),
    );
    runner().run(&bodies, check).unwrap();
    assert!(accepted.load(Ordering::Relaxed) > 40, "most are accepted");
}

#[tokio::test]
async fn numbers_beyond_a_double_are_refused_by_both_doors() {
    let server = Server::start().await;
    for number in ["1e309", &"9".repeat(309)] {
        let alert = format!(
            r#"{{"alert_type": "kubernetes", "runbook": "local:a", "data": {{"n": [1, {number}]}}}}"#
        );
        let refused = server
            .post_raw("/alerts", alert)
            .send()
            .await
            .unwrap()
            .into_answer()
            .await;
        assert_eq!(refused.status, 422, "{refused:?}");
        assert_eq!(refused.body["errors"][0]["field"], "data.n[1]");

        let webhook = format!(
            r#"{{"alerts": [{{"status": "firing", "labels": {{"alertname": "kubernetes"}}, "n": {number},
                "startsAt": "2026-11-20T10:00:00Z", "fingerprint": "f"}}]}}"#
        );
        let refused = server
            .post_raw("/webhooks/alertmanager", webhook)
            .send()
            .await
            .unwrap()
            .into_answer()
            .await;
        assert_eq!(refused.status, 422, "{refused:?}");
        let problem: &Value = &refused.body["results"][0]["problem"];
        assert_eq!(problem["errors"][0]["field"], "data.n", "{refused:?}");
    }
    assert_eq!(server.count("alert_sessions").await, 0);
}

#[tokio::test]
async fn of_two_severities_the_one_that_is_kept_counts() {
    let server = Server::start().await;
    let body = r#"{"alert_type": "kubernetes", "runbook": "local:a", "data": {"severity": "info", "severity": "critical"}}"#;
    let answer = server
        .post_raw("/alerts", body)
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let read: (String, String) =
        sqlx::query_as("select severity, alert_data ->> 'severity' from alert_sessions")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(read, ("critical".to_owned(), "critical".to_owned()));
}
