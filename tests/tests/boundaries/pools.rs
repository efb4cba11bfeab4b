//! Tests that services open pools only with `wary_pool`. Another pool may take back a connection within a transaction.
//! The next writes on that connection would be acknowledged but not committed
//! (docs/decisions/0003-shared-commits.md).

use std::fs;

use super::workspace::{members, rust_files};

/// Files that open another pool, for a single connection that listens. No transaction begins on it.
const EXCEPTIONS: [&str; 2] = [
    "shared/queue/src/worker/lease/connect.rs",
    "ingest-api/src/live/listener.rs",
];

#[test]
fn services_give_connections_back_outside_of_a_transaction() {
    let mut broken = Vec::new();
    for crate_ in members() {
        let folder = crate_.manifest.parent().unwrap();
        let is_test = folder
            .ancestors()
            .take(2)
            .any(|above| above.ends_with("tests"));
        if is_test || crate_.name == "tarsy-testing" {
            continue;
        }
        for file in rust_files(&folder.join("src")) {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_exception = EXCEPTIONS.iter().any(|named| file.ends_with(named));
            if opens_a_pool(code) && !is_exception {
                broken.push(format!("{}: use `tarsy_queue::wary_pool`", file.display()));
            }
            if is_exception && code.contains("begin(") {
                broken.push(format!("{}: must begin no transaction", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn opens_a_pool(code: &str) -> bool {
    let by_options = code.contains("PgPoolOptions::new()") && !code.contains("wary_pool(");
    by_options || code.contains("Pool::connect")
}
