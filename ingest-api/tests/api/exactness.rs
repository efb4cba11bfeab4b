//! Data is stored exactly as it was sent, with every digit and character.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use sqlx::Row as _;

use crate::server::{IntoAnswer as _, Server, alert};

/// JSON values with texts that monitoring systems send and that the original implementation removed.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no NaN", |n| n.is_finite())
            .prop_map(|n| json!(n)),
        "[^\u{0}]{0,20}".prop_map(Value::from),
        "[<>\"'\\\\\n\t\r &;$`😀é\u{202e}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[^\u{0}]{0,8}", inner, 0..6)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-zA-Z<>\"'\n ]{1,8}", json_value(), 0..6)
        .prop_map(|m| m.into_iter().collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn any_object_comes_back_equal() {
    let server = Server::start().await;
    let handle = tokio::runtime::Handle::current();
    let check = |data: Map<String, Value>| {
        tokio::task::block_in_place(|| {
            handle.block_on(async {
                let answer = server.post("/alerts", &alert(Value::Object(data.clone()))).await;
                assert_eq!(answer.status.as_u16(), 202, "{answer:?}");
                // Postgres compares the values, because `serde_json` may read doubles slightly differently.
                let (is_kept, members): (bool, i64) = sqlx::query_as(
                    "select alert_data || $2::text::jsonb = alert_data, (select count(*) from jsonb_object_keys(alert_data))
                     from alert_sessions where session_id = $1::uuid",
                )
                .bind(answer.body["session_id"].as_str().unwrap())
                .bind(Value::Object(data.clone()).to_string())
                .fetch_one(server.db())
                .await
                .unwrap();
                assert!(is_kept);
                assert_eq!(members, data.len() as i64 + 3, "the three defaults and nothing else");
            });
        });
        Ok(())
    };
    let mut runner = TestRunner::new(Config {
        cases: 96,
        failure_persistence: None,
        ..Config::default()
    });
    runner.run(&object(), check).unwrap();
}

#[tokio::test]
async fn numbers_beyond_a_double_keep_every_digit() {
    let server = Server::start().await;
    let body = r#"{"alert_type": "kubernetes", "runbook": "local:a", "extra": 18446744073709551617,
                   "data": {"id": 9007199254740993123456789, "fine": 0.1000000000000000055511151231257827, "e": 1e300}}"#;
    let answer = server
        .post_raw("/alerts", body)
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(answer.status.as_u16(), 202);
    let row = sqlx::query(
        "select alert_data ->> 'id' as id, alert_data ->> 'fine' as fine, alert_data ->> 'extra' as extra,
                (alert_data ->> 'e')::numeric = 1e300 as e from alert_sessions",
    )
    .fetch_one(server.db())
    .await
    .unwrap();
    assert_eq!(row.get::<String, _>("id"), "9007199254740993123456789");
    assert_eq!(
        row.get::<String, _>("fine"),
        "0.1000000000000000055511151231257827"
    );
    assert_eq!(row.get::<String, _>("extra"), "18446744073709551617");
    assert!(row.get::<bool, _>("e"));
    // Alerts that differ only in such digits are different alerts.
    let other = body.replace("9007199254740993123456789", "9007199254740993123456788");
    let answer = server
        .post_raw("/alerts", other)
        .send()
        .await
        .unwrap()
        .into_answer()
        .await;
    assert_eq!(answer.body["status"], "queued");
}
