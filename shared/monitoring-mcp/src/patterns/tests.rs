use proptest::prelude::*;

use super::*;

fn grouped(lines: &[String]) -> Vec<(String, usize)> {
    let lines: Vec<Line<'_>> = (0..)
        .zip(lines)
        .map(|(at, text)| Line { at, text })
        .collect();
    let found = patterns(&lines);
    found
        .iter()
        .map(|pattern| (pattern.text(), pattern.count))
        .collect()
}

#[test]
fn lines_that_differ_in_their_variables_are_one_pattern() {
    let mut lines: Vec<String> = (0..50)
        .map(|n| {
            format!(
                "2026-11-28T12:00:{:02}.123Z 10.0.0.{n}:4411 GET /cart/{n} 200 in {n}ms",
                n % 60
            )
        })
        .collect();
    lines.extend(
        ["alice", "bob", "carol"].map(|who| format!("user {who} has signed in from the web")),
    );
    lines.push("connection refused: payments-7d9f8b-x2x:5432".to_owned());
    assert_eq!(
        grouped(&lines),
        [
            ("<*> GET /cart/<*> <*> in <*>".to_owned(), 50),
            ("user <*> has signed in from the web".to_owned(), 3),
            ("connection refused: <*>".to_owned(), 1),
        ]
    );
}

#[test]
fn structured_lines_are_grouped_by_their_message_and_errors_come_first() {
    let mut lines: Vec<String> = (0..9)
        .map(|n| format!(r#"{{"ts":{n},"level":"info","msg":"served","path":"/{n}"}}"#))
        .collect();
    lines.push(
        r#"{"ts":9,"level":"error","msg":"cannot reach db","err":"dial tcp 10.0.0.7:5432: refused"}"#
            .to_owned(),
    );
    lines.push("level=warn msg=\"queue is 93% full\"".to_owned());
    assert_eq!(
        grouped(&lines),
        [
            ("cannot reach db | dial tcp <*>: refused".to_owned(), 1),
            ("served".to_owned(), 9),
            ("level=warn msg=\"queue is <*>% full\"".to_owned(), 1),
        ]
    );
}

#[test]
fn a_pattern_knows_its_first_and_last_line() {
    let lines = [
        Line {
            at: 30,
            text: "tick 3",
        },
        Line {
            at: 10,
            text: "tick 1",
        },
        Line {
            at: 20,
            text: "tick 2",
        },
    ];
    let found = patterns(&lines);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].first, found[0].last, found[0].example),
        (10, 30, "tick 3")
    );
}

proptest! {
    #[test]
    fn no_line_is_lost_and_their_order_does_not_matter(
        mut lines in prop::collection::vec(prop_oneof![".{0,80}", "[a-c ]{0,12}", "error [0-9]{1,4} [a-z]{3}"], 0..80),
    ) {
        let found = grouped(&lines);
        prop_assert_eq!(found.iter().map(|(_, count)| count).sum::<usize>(), lines.len());
        lines.reverse();
        prop_assert_eq!(grouped(&lines), found);
    }
}
