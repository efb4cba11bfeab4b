//! The metadata of all checked queries, in `.sqlx`: written, and compared with a fresh one.
//!
//! sqlx's macros write it while they expand against a live database. Clippy expands them all
//! anyway, so the lints and the fresh metadata come out of one build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tarsy_testing::TestDb;

use crate::server::Server;
use crate::{shell, terminal, workspace};

/// Metadata by file name.
type Metadata = BTreeMap<String, Value>;

/// `cargo xtask prepare`: write `.sqlx` anew.
pub(crate) fn prepare() -> Result<ExitCode> {
    let server = Server::for_tests()?;
    let fresh = tempfile::tempdir()?;
    let outcome = expand(&server, fresh.path(), &[]);
    server.remove()?;
    outcome.context("a query does not fit the migrations, or the code does not build")?;

    let committed = committed();
    if committed.exists() {
        fs::remove_dir_all(&committed)
            .with_context(|| format!("cannot delete {}", committed.display()))?;
    }
    fs::create_dir_all(&committed)?;
    let queries = read(fresh.path())?;
    for name in queries.keys() {
        fs::copy(fresh.path().join(name), committed.join(name))?;
    }
    terminal::say(&format!("{} queries written to .sqlx", queries.len()));
    Ok(ExitCode::SUCCESS)
}

/// Run clippy over the whole workspace with the queries checked against a migrated database of
/// `server`, their metadata going to `fresh`.
pub(crate) fn expand(server: &Server, fresh: &Path, lints: &[&str]) -> Result<()> {
    fs::create_dir_all(fresh)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let _inside = runtime.enter();
    let database = runtime.block_on(TestDb::create_on(&server.url("postgres").parse()?))?;

    let mut clippy = workspace::cargo();
    clippy
        .env("SQLX_OFFLINE", "false")
        .env("DATABASE_URL", database.url())
        .env("SQLX_OFFLINE_DIR", fresh)
        .args(["clippy", "--workspace", "--all-targets", "--"])
        .args(lints)
        // Clippy counts its arguments as an input, so a new one makes it look at every crate of
        // ours again, and at none of the others. Nothing reads this flag.
        .arg("--cfg")
        .arg(format!("expanded_for=\"{}\"", database.name()));
    shell::run(&mut clippy)
}

/// Compare the committed metadata with the fresh one.
pub(crate) fn compare(fresh: &Path) -> Result<()> {
    let differences = differences(&read(&committed())?, &read(fresh)?);
    if differences.is_empty() {
        return Ok(());
    }
    bail!(
        ".sqlx does not fit the code and the migrations:\n{}\nRun `cargo xtask prepare` and commit .sqlx.",
        differences.join("\n")
    )
}

fn differences(committed: &Metadata, fresh: &Metadata) -> Vec<String> {
    let missing = fresh
        .iter()
        .filter(|(name, _)| !committed.contains_key(*name))
        .map(|query| ("missing", query));
    let left_over = committed
        .iter()
        .filter(|(name, _)| !fresh.contains_key(*name))
        .map(|query| ("left over", query));
    let changed = fresh
        .iter()
        .filter(|(name, value)| committed.get(*name).is_some_and(|old| old != *value))
        .map(|query| ("changed", query));
    missing
        .chain(left_over)
        .chain(changed)
        .map(|(what, (name, value))| format!("  {what}: {name} ({})", first_words(value)))
        .collect()
}

fn first_words(metadata: &Value) -> String {
    let query = metadata["query"].as_str().unwrap_or("unreadable");
    let words: Vec<_> = query.split_whitespace().take(8).collect();
    format!("{} ...", words.join(" "))
}

fn committed() -> PathBuf {
    workspace::root().join(".sqlx")
}

fn read(folder: &Path) -> Result<Metadata> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(Metadata::new());
    };
    entries
        .flatten()
        .filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|entry| {
            let text = fs::read_to_string(entry.path())?;
            let value = serde_json::from_str(&text)
                .with_context(|| format!("{} is not JSON", workspace::shown(&entry.path())))?;
            Ok((entry.file_name().to_string_lossy().into_owned(), value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_difference_is_told() {
        let query = |text: &str| json!({ "query": text });
        let committed = Metadata::from([
            ("same".to_owned(), query("select 1")),
            ("old".to_owned(), query("select 2")),
            ("altered".to_owned(), query("select 3")),
        ]);
        let fresh = Metadata::from([
            ("same".to_owned(), query("select 1")),
            ("new".to_owned(), query("select 4")),
            ("altered".to_owned(), query("select 5")),
        ]);
        assert_eq!(
            differences(&committed, &fresh),
            [
                "  missing: new (select 4 ...)",
                "  left over: old (select 2 ...)",
                "  changed: altered (select 5 ...)"
            ]
        );
        assert!(differences(&fresh, &fresh).is_empty());
    }
}
