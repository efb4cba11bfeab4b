//! Tests that migrations block no writes: an index on an existing table must be built concurrently (docs/CHANGING.md).

use std::fs;

use tarsy_testing::tools::workspace;

/// Version of the last migration before this rule.
const BEFORE: &str = "20261126013000";
/// Tables that may be partitioned. Partitioned tables reject `concurrently`, so their migrations check for that first.
const PARTITIONABLE: [&str; 3] = ["llm_interactions", "mcp_interactions", "events"];

/// Returns the mistakes in a migration, ignoring comments.
fn mistakes(text: &str) -> Vec<String> {
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("--"))
        .collect();
    let code = code.join(" ").to_lowercase();
    let mut mistakes = Vec::new();
    for statement in code.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let is_index = matches!(
            words[..],
            ["create", "index", ..] | ["create", "unique", "index", ..]
        );
        let Some(on) = words
            .iter()
            .position(|word| *word == "on")
            .filter(|_| is_index)
        else {
            continue;
        };
        let after = words.get(on + 1..).unwrap_or_default();
        let table = after
            .iter()
            .find(|word| **word != "only")
            .copied()
            .unwrap_or_default();
        let table = table.split('(').next().unwrap_or_default();
        let is_new = code.contains(&format!("create table {table} "));
        if PARTITIONABLE.contains(&table) {
            if !code.contains("pg_partitioned_table") {
                mistakes.push(format!(
                    "`{table}` may be partitioned: look at pg_partitioned_table first"
                ));
            }
        } else if !is_new && !words.contains(&"concurrently") {
            mistakes.push(format!(
                "the index of `{table}` locks out writers: build it concurrently"
            ));
        }
    }
    mistakes
}

#[test]
fn an_index_of_an_existing_table_is_built_concurrently() {
    for entry in fs::read_dir(workspace().join("migrations")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.as_str() > BEFORE && !name.starts_with(BEFORE) {
            assert_eq!(
                mistakes(&fs::read_to_string(&path).unwrap()),
                [""; 0],
                "{name}"
            );
        }
    }
}

#[test]
fn what_locks_out_writers_is_named() {
    for fine in [
        "create table notes (id uuid); create index notes_id on notes (id);",
        "-- no-transaction\ncreate unique index concurrently if not exists a on jobs (id)",
        "-- create index a on jobs (id)\nselect 1",
    ] {
        assert_eq!(mistakes(fine), [""; 0], "{fine}");
    }
    for wrong in [
        "create index a on jobs (id)",
        "create unique index a\n  on jobs(id) where id is null;",
        "create index concurrently a on events (kind)",
    ] {
        assert_eq!(mistakes(wrong).len(), 1, "{wrong}");
    }
}
