use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const PAGE: usize = 16_000;
/// 2026-11-28T12:00:00Z, in seconds of Unix time.
const NOON: i64 = 1_795_867_200;

/// A series with a point every 15 s.
fn series(labels: Value, value: impl Fn(usize) -> f64, count: usize) -> Value {
    let points: Vec<Value> = (0..count)
        .map(|at| {
            json!([
                NOON + 15 * i64::try_from(at).unwrap(),
                value(at).to_string()
            ])
        })
        .collect();
    json!({"metric": labels, "values": points})
}

fn matrix(series: Vec<Value>) -> String {
    json!({"status": "success", "data": {"resultType": "matrix", "result": series}}).to_string()
}

/// An incident: the value rises from 0.12 to 0.9 at the 80th point, and falls back at the 160th.
fn incident(at: usize) -> f64 {
    let wobble = f64::from(u8::try_from(at % 5).unwrap()) / 1_000.0;
    if (80..160).contains(&at) {
        0.9 - wobble
    } else {
        0.12 + wobble
    }
}

#[test]
fn a_series_is_told_by_its_ends_and_changes() {
    let text = matrix(vec![
        series(
            json!({"__name__": "errors", "job": "api", "pod": "a"}),
            incident,
            240,
        ),
        series(
            json!({"__name__": "errors", "job": "api", "pod": "b"}),
            |_| 0.0,
            240,
        ),
    ]);
    assert_eq!(
        shaped(&text, Some(5), PAGE).expect("a shape"),
        "[2 series with 480 points from 2026-11-28T12:00:00Z to 2026-11-28T12:59:45Z, in short in place of 9250 characters; \
         points: tarsy.search_result {\"result\": 5, \"jq\": \".data.result[0].values[-20:]\"}]\n\
         all: errors{job=\"api\"}\n\
         - {pod=\"a\"}: 240 points, min 0.12 at 12:00:00Z, max 0.9 at 12:20:00Z, last 0.124; changes at 12:20:00Z from 0.123 to 0.899, \
         at 12:40:00Z from 0.898 to 0.122\n\
         - {pod=\"b\"}: 240 points, always 0\n\
         {\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":\"2 series, see above\"}}"
    );
}

#[test]
fn servers_write_series_in_several_ways() {
    let one = || vec![series(json!({"pod": "a"}), incident, 240)];
    let plain = matrix(one());
    for (text, points) in [
        (plain.clone(), "\"jq\": \".data.result[0].values[-20:]\""),
        (json!(one()).to_string(), "\"jq\": \".[0].values[-20:]\""),
        (
            json!({"data": one(), "hints": ["none"]}).to_string(),
            "\"jq\": \".data[0].values[-20:]\"",
        ),
        (
            format!("Result of the query:\n```json\n{plain}\n```"),
            "\"jq\": \".data.result[0]",
        ),
        (
            json!({"isError": false, "text": plain}).to_string(),
            "tarsy.read_page {\"result\": 5",
        ),
        // The result was cut when it was read.
        (
            format!(
                "{}\n[output cut: the tool sent 9999 bytes]",
                &plain[..5_000]
            ),
            "\"jq\": \".data.result[0]",
        ),
    ] {
        let shape = shaped(&text, Some(5), PAGE).unwrap_or_else(|| panic!("no shape of {text}"));
        assert!(
            shape.contains("max 0.9 at 12:20:00Z") && shape.contains(points),
            "{shape}"
        );
        assert!(shape.len() * 4 < text.len(), "{shape}");
    }
    // Times in milliseconds.
    let millis = plain
        .replace("00,\"", "00000,\"")
        .replace("15,\"", "15000,\"")
        .replace("30,\"", "30000,\"")
        .replace("45,\"", "45000,\"");
    assert!(
        shaped(&millis, None, PAGE)
            .expect("a shape")
            .contains("max 0.9 at 12:20:00Z")
    );
}

#[test]
fn what_is_no_long_result_of_series_stays_as_it_is() {
    let few = matrix(vec![series(json!({"pod": "a"}), incident, 20)]);
    let pods = json!({"items": vec![json!({"metric": {}, "values": "many"}); 100]}).to_string();
    let vector = json!({"result": vec![json!({"metric": {"pod": "a"}, "value": [1, "2"]}); 100], "values": 1}).to_string();
    let beside = format!(
        "{}\n{}",
        matrix(vec![series(json!({}), incident, 240)]),
        "a log line\n".repeat(300)
    );
    for text in [few, pods, vector, beside, "values ".repeat(1_000)] {
        assert_eq!(shaped(&text, Some(5), PAGE), None, "{text}");
    }
}

#[test]
fn of_many_series_those_that_change_most_are_told() {
    let mut all: Vec<Value> = (0..400)
        .map(|n| {
            series(
                json!({"pod": format!("pod-{n}")}),
                |at| if at == 3 { 7.0 } else { 6.9 },
                60,
            )
        })
        .collect();
    all[350] = series(
        json!({"pod": "loud"}),
        |at| if at < 30 { 1.0 } else { 500.0 },
        60,
    );
    let shape = shaped(&matrix(all), Some(5), 2_000).expect("a shape");
    assert!(shape.len() < 2_600, "{}", shape.len());
    assert!(
        shape.contains(
            "{pod=\"loud\"}: 60 points, min 1 at 12:00:00Z, max 500 at 12:07:30Z, last 500"
        ),
        "{shape}"
    );
    assert!(
        shape.contains("series that change less are left out; their values are 6.9 to 7."),
        "{shape}"
    );
}

#[test]
fn noise_slopes_and_single_points_are_no_change_of_the_level() {
    let noise = |at: usize| f64::from(u32::try_from(at * 7_919 % 97).unwrap());
    let slope = |at: usize| f64::from(u32::try_from(at).unwrap()) * 3.5;
    let spike = |at: usize| if at == 100 { 50.0 } else { 1.0 };
    for values in [&noise as &dyn Fn(usize) -> f64, &slope, &spike] {
        let shape =
            shaped(&matrix(vec![series(json!({}), values, 240)]), None, PAGE).expect("a shape");
        assert!(!shape.contains("changes at"), "{shape}");
    }
}

#[test]
fn values_that_are_no_numbers_are_left_out_of_the_ends() {
    let gap = |at: usize| {
        if at.is_multiple_of(2) {
            f64::NAN
        } else {
            f64::INFINITY
        }
    };
    let some = |at: usize| if at == 5 { f64::NAN } else { 0.000_123_456 };
    let text = matrix(vec![
        series(json!({"pod": "a"}), gap, 120),
        series(json!({"pod": "b"}), some, 120),
    ]);
    let shape = shaped(&text, None, PAGE).expect("a shape");
    assert!(
        shape.contains("120 points, none of which is a number"),
        "{shape}"
    );
    assert!(shape.contains("120 points, always 0.0001235"), "{shape}");
}

proptest! {
    #[test]
    fn any_series_is_shaped_within_a_page(
        values in prop::collection::vec(prop_oneof![any::<f64>(), 0.0..1.0_f64], 1..120),
        times in prop_oneof![Just(1_i64), -5_i64..i64::MAX / 200],
        page in 500_usize..20_000,
    ) {
        let points: Vec<Value> = (1..).zip(&values).map(|(at, value)| json!([times.saturating_mul(at), value.to_string()])).collect();
        let text = json!([{"metric": {"pod": "a"}, "values": points}]).to_string();
        if let Some(shape) = shaped(&text, Some(1), page) {
            prop_assert!(shape.len() * 2 < text.len());
            prop_assert!(shape.len() < page.max(1_200) + 600);
        }
    }
}

/// CloudWatch returns the newest points first.
#[test]
fn series_of_cloudwatch_and_datadog_are_shaped() {
    let times: Vec<i64> = (0..120).rev().map(|at| NOON + 60 * at).collect();
    let lag: Vec<i64> = (0..120)
        .rev()
        .map(|at| if at < 60 { 1 } else { 900 })
        .collect();
    let text = json!({"MetricDataResults": [
        {"Id": "m1", "Label": "ReplicaLag", "StatusCode": "Complete", "Timestamps": times, "Values": lag},
        {"Id": "m2", "Label": "WriteIOPS", "StatusCode": "Complete", "Timestamps": times, "Values": vec![5; 120]},
    ]});
    assert_eq!(
        shaped(&text.to_string(), Some(3), PAGE).expect("a shape"),
        "[2 series with 240 points from 2026-11-28T12:00:00Z to 2026-11-28T13:59:00Z, in short in place of 3428 characters; \
         points: tarsy.search_result {\"result\": 3, \"jq\": \".MetricDataResults[0].Values[-20:]\"}]\n\
         all: {StatusCode=\"Complete\"}\n\
         - {Id=\"m1\", Label=\"ReplicaLag\"}: 120 points, min 1 at 12:00:00Z, max 900 at 13:00:00Z, last 900; changes at 13:00:00Z from 1 to \
         900\n\
         - {Id=\"m2\", Label=\"WriteIOPS\"}: 120 points, always 5\n\
         {\"MetricDataResults\":\"2 series, see above\"}"
    );
    let points: Vec<Value> = times
        .iter()
        .rev()
        .map(|time| json!([time * 1_000, 0.5]))
        .collect();
    let text = json!({"series": [{"metric": "cpu.idle", "scope": "host:a", "pointlist": points}], "status": "ok"});
    let told = shaped(&text.to_string(), Some(3), PAGE).expect("a shape");
    assert!(
        told.contains(".series[0].pointlist[-20:]") && told.contains("always 0.5"),
        "{told}"
    );
}
