//! Tests that the parameters of statements are numbered in the order in which they first appear. So statements, and the
//! values bound below them, can be read from top to bottom.

use std::fs;

use tarsy_testing::tools::workspace;

/// Returns the numbers of a statement's parameters, in the order of their first appearance.
fn parameters(statement: &str) -> Vec<usize> {
    let mut seen = Vec::new();
    for after in statement.split('$').skip(1) {
        let end = after.find(|c: char| !c.is_ascii_digit());
        let digits = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
        if let Ok(number) = digits.parse()
            && !seen.contains(&number)
        {
            seen.push(number);
        }
    }
    seen
}

#[test]
fn parameters_are_numbered_as_they_appear() {
    let mut checked = 0;
    for entry in fs::read_dir(workspace().join(".sqlx")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let query: serde_json::Value = serde_json::from_str(&text).unwrap();
        let statement = query["query"].as_str().unwrap();
        assert!(parameters(statement).is_sorted(), "{statement}");
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
    assert!(!parameters("select $2, $1").is_sorted());
    assert_eq!(
        parameters("$1 = any($2) and '$.x' <> $1 || $10"),
        [1, 2, 10]
    );
}
