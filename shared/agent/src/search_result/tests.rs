use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const PAGE: usize = 16_000;

fn log() -> String {
    let line = |n: usize| match n {
        41 => "41 ERROR: checkout: connection refused".to_owned(),
        n if n % 10 == 0 => format!("{n} warn: slow"),
        n => format!("{n} ok"),
    };
    (1..=200).map(line).collect::<Vec<_>>().join("\n")
}

fn pods() -> String {
    json!({"items": [
        {"metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x"}}, "status": {"phase": "Running"}, "restarts": 0},
        {"metadata": {"name": "b"}, "status": {"phase": "Pending"}, "restarts": 7},
        {"metadata": {"name": "c"}, "status": {"phase": "Failed"}, "restarts": 2},
    ]})
    .to_string()
}

fn found(text: &str, arguments: Value) -> String {
    answer(text, 5, &arguments, PAGE).unwrap_or_else(|why| panic!("{arguments}: {why}"))
}

fn refused(text: &str, arguments: Value) -> String {
    match answer(text, 5, &arguments, PAGE) {
        Ok(found) => panic!("{arguments}: {found}"),
        Err(why) => why,
    }
}

#[test]
fn lines_are_found_with_those_around_them() {
    assert_eq!(
        found(&log(), json!({"grep": "ERROR"})),
        "1 of 200 lines match `ERROR`:\n41: 41 ERROR: checkout: connection refused"
    );
    assert_eq!(
        found(
            &log(),
            json!({"grep": "refused|^43", "before": 1, "after": "1", "tail": null, "jq": ""})
        ),
        "2 of 200 lines match `refused|^43`:\n40- 40 warn: slow\n41: 41 ERROR: checkout: connection refused\n42- 42 ok\n43: 43 ok\n44- 44 ok"
    );
    assert_eq!(
        found(
            &log(),
            json!({"grep": "ERROR", "count": "", "around": 0, "tail": 0, "jq": "", "before": 0, "after": 0})
        ),
        found(&log(), json!({"grep": "ERROR"})),
        "every parameter is filled in"
    );
    assert!(found(&log(), json!({"grep": "0", "tail": 0})).starts_with("29 of 200 lines"));
    assert_eq!(
        found(&log(), json!({"count": "warn"})),
        "20 of 200 lines match, the first is line 10, the last line 200."
    );
    assert_eq!(
        found(&log(), json!({"around": 41, "before": 1, "after": 1})),
        "Lines 40 to 42 of 200 lines:\n40- 40 warn: slow\n41: 41 ERROR: checkout: connection refused\n42- 42 ok"
    );
    assert_eq!(
        found(&log(), json!({"tail": 2})),
        "Lines 199 to 200 of 200 lines:\n199- 199 ok\n200- 200 warn: slow"
    );
}

#[test]
fn an_answer_is_bounded_and_says_how_to_narrow_it() {
    let text = "an error of some length, as programs write it\n".repeat(5_000);
    let shown = found(&text, json!({"grep": "error"}));
    assert!(
        shown.len() < 4_200 && shown.starts_with("5000 of 5000 lines match"),
        "{}",
        shown.len()
    );
    assert!(shown.ends_with("narrow the expression]"), "{shown}");
    for (text, arguments) in [
        (
            &text,
            json!({"around": 2_500, "before": 1_000, "after": 1_000}),
        ),
        (
            &text,
            json!({"grep": "error", "before": 1_000, "after": 1_000}),
        ),
        (&text, json!({"tail": 5_000})),
        (&"x".repeat(500_000), json!({"grep": "x"})),
        (&"\u{20ac}".repeat(200_000), json!({"tail": 1})),
    ] {
        let shown = found(text, arguments.clone());
        assert!(shown.len() < 4_500, "{arguments}: {}", shown.len());
    }
    assert!(found(&text, json!({"around": 2_500})).contains("\n2500: an error"));
}

#[test]
fn parts_of_json_are_found_by_paths() {
    for (path, expected) in [
        (".items[].metadata.name", "3 values:\na\nb\nc"),
        (
            ".items[] | select(.status.phase != \"Running\") | .metadata.name",
            "2 values:\nb\nc",
        ),
        (
            ".items[]|select(.restarts > 1)|select(.restarts<=5).metadata.name",
            "c",
        ),
        (
            ".items[] | select(.metadata.name | length == 1) | select(.status.phase != \"Running\") | .metadata.name",
            "2 values:\nb\nc",
        ),
        (
            ".items[] | select(.metadata.name | test(\"^[ab]$\")) | .restarts",
            "2 values:\n0\n7",
        ),
        (
            ".items[] | select(.metadata.labels) | .metadata.labels.\"app.kubernetes.io/name\"",
            "x",
        ),
        (".items[0].metadata.labels[\"app.kubernetes.io/name\"]", "x"),
        (".items | length", "3"),
        (".items[-1].restarts", "2"),
        (".items[1:][0].metadata.name", "b"),
        (".items[0].status", "{\n  \"phase\": \"Running\"\n}"),
        (". | keys", "[\n  \"items\"\n]"),
    ] {
        assert_eq!(found(&pods(), json!({"jq": path})), expected, "{path}");
    }
    let fenced = format!("The pods:\n```json\n{}\n```", pods());
    assert_eq!(
        found(&fenced, json!({"jq": ".items[2].metadata.name"})),
        "c"
    );
    let many = json!((0..5_000).collect::<Vec<_>>()).to_string();
    let shown = found(&many, json!({"jq": ".[]"}));
    assert!(
        shown.len() < 4_200 && shown.contains("more are not shown; narrow the path"),
        "{shown}"
    );
}

#[test]
fn what_can_not_be_answered_says_why() {
    for (arguments, why) in [
        (json!({}), "one of `grep`"),
        (json!({"grep": "a", "tail": 3}), "one of `grep`"),
        (json!({"grep": 3}), "must be a text"),
        (json!({"around": "first"}), "must be a whole number"),
        (
            json!({"around": 201}),
            "there is no line 201; there are 200 lines",
        ),
        (json!({"around": 0}), "there is no line 0"),
        (json!({"grep": "("}), "is no regular expression"),
        (
            json!({"jq": ".a"}),
            "result 5 is no JSON; search it with `grep`",
        ),
        (
            json!({"jq": "map(.a)"}),
            "`map(.a)` in `map(.a)` is not understood; of jq only",
        ),
        (json!({"jq": ".a |"}), "ends too early"),
    ] {
        let said = refused(&log(), arguments.clone());
        assert!(said.contains(why), "{arguments}: {said}");
    }
    for (text, arguments, said) in [
        (
            &*log(),
            json!({"grep": "panic"}),
            "None of 200 lines matches `panic`.",
        ),
        (
            &*log(),
            json!({"count": "error"}),
            "None of 200 lines matches `error`. If case is ignored, 1 do: `(?i)error`.",
        ),
        ("", json!({"tail": 3}), "Result 5 is empty."),
        (
            &*pods(),
            json!({"jq": ".items[].spec.nodeName"}),
            "`.items[].spec.nodeName` leads to no value; at `.items[]` is an object with the keys metadata, status, restarts.",
        ),
        (
            &*pods(),
            json!({"jq": ".[0]"}),
            "`.[0]` leads to no value; at `.` is an object with the keys items.",
        ),
    ] {
        assert_eq!(found(text, arguments), said);
    }
}

#[test]
fn json_without_lines_is_searched_as_if_each_value_had_a_line() {
    let items: Vec<Value> = (0..200)
        .map(|n| json!({"name": format!("pod-{n}"), "ready": n != 150}))
        .collect();
    let text = json!({ "items": items }).to_string();
    let shown = found(&text, json!({"grep": "false", "before": 1}));
    assert_eq!(
        shown,
        "1 of 804 lines of the JSON, one for each value, match `false`:\n604- \"name\": \"pod-150\",\n605: \"ready\": false"
    );
    // With indentation, this would be a hundred times as long.
    let deep = format!(
        "{}{}{}",
        "[".repeat(120),
        "1,".repeat(300_000) + "1",
        "]".repeat(120)
    );
    let shown = found(&deep, json!({"count": "1"}));
    assert!(
        shown.starts_with("300001 of 300241 lines of the JSON"),
        "{shown}"
    );
}

proptest! {
    #[test]
    fn nothing_panics_and_every_answer_is_bounded(
        text in "[a-c\u{20ac}{}\\[\\]\":,0-9\n]{0,300}",
        words in prop_oneof!["[a-c.*+()|\\[\\]\\\\{}^$\u{20ac}]{0,12}", "[.a-c\\[\\]|:\"0-9 ()?=-]{0,16}"],
        mode in prop::sample::select(vec!["grep", "count", "around", "tail", "jq"]),
        line in -3_i64..400,
        around in -3_i64..200,
        page in 0_usize..600,
    ) {
        let value = match mode {
            "around" | "tail" => json!(line),
            _ => json!(words),
        };
        let arguments = json!({"result": 5, mode: value, "before": around, "after": around});
        if let Ok(shown) = answer(&text, 5, &arguments, page) {
            prop_assert!(shown.len() < page + 1_200, "{shown}");
        }
    }
}
