//! Writes the metadata of checked queries to `.sqlx`, and compares them with freshly generated ones.
//!
//! The macros of sqlx generate the metadata when they expand against a live database. So the crates that use the macros
//! are checked against a migrated one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tarsy_testing::TestDb;
use tempfile::TempDir;

use crate::server::Server;
use crate::{fingerprint, lint, shell, terminal, workspace};

/// Metadata by file name.
type Metadata = BTreeMap<String, Value>;

/// Crates with checked queries, each with its folder.
const CRATES: [(&str, &str); 6] = [
    ("tarsy-store", "shared/store/src"),
    ("tarsy-queue", "shared/queue/src"),
    ("tarsy-transitions", "shared/transitions/src"),
    ("tarsy-intake", "shared/intake/src"),
    ("tarsy-chain-worker", "chain-worker/src"),
    ("tarsy-stage-worker", "stage-worker/src"),
];

/// `cargo xtask prepare`: rewrites `.sqlx`.
pub(crate) fn prepare() -> Result<ExitCode> {
    let server = Server::for_tests()?;
    let fresh = tempfile::tempdir()?;
    let outcome = expand(&server, fresh.path(), alone);
    server.remove()?;
    outcome.context("a query does not match the migrations, or the code does not build")?;

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
    terminal::info(&format!("{} queries written to .sqlx", queries.len()));
    Ok(ExitCode::SUCCESS)
}

/// Runs a command that compiles all crates, with a migrated database on `server`. Returns the metadata of the queries
/// whose macros were expanded.
pub(crate) fn expanded_by(server: &Server, command: Command) -> Result<TempDir> {
    let fresh = tempfile::tempdir()?;
    expand(server, fresh.path(), |_| command)?;
    Ok(fresh)
}

/// Checks every query against a migrated database on `server`, and compares the metadata with `.sqlx`. Skipped if
/// nothing has changed since the last success. `expanded` is metadata that the build has already written.
///
/// Clippy must check every crate anyway. On a fresh checkout it expands every query, so the next phase finds this work
/// done. Otherwise cargo skips crates that have not changed, and a separate pass follows.
pub(crate) fn check(
    server: impl FnOnce() -> Result<Arc<Server>>,
    expanded: Option<&Path>,
) -> Result<()> {
    let inputs = inputs()?;
    let stamp = workspace::target().join("xtask/checked-queries");
    if fs::read_to_string(&stamp).is_ok_and(|checked| checked == inputs) {
        terminal::info("no query, migration or metadata has changed since the last check");
        return Ok(());
    }
    let server = server()?;
    let on_the_way = match expanded {
        Some(expanded) => compare(expanded),
        None => {
            expanded_by(&server, lint::clippy_command()).and_then(|fresh| compare(fresh.path()))
        }
    };
    if on_the_way.is_err() {
        let fresh = tempfile::tempdir()?;
        expand(&server, fresh.path(), alone)?;
        compare(fresh.path())?;
    }
    fs::create_dir_all(workspace::target().join("xtask"))?;
    fs::write(&stamp, inputs).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Computes the fingerprint of the metadata's inputs.
fn inputs() -> Result<String> {
    let sources = CRATES.map(|(_, folder)| folder);
    let paths = [&sources[..], &["migrations", ".sqlx", "Cargo.lock"]].concat();
    fingerprint::compute(&workspace::root(), &paths)
}

/// Writes the metadata of the queries that a command compiles to `fresh`. The function `command` gets the database's
/// name.
fn expand(server: &Server, fresh: &Path, command: impl FnOnce(&str) -> Command) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let _inside = runtime.enter();
    let database = runtime.block_on(TestDb::create_on(&server.url("postgres").parse()?))?;
    shell::run(
        command(database.name())
            .env("SQLX_OFFLINE", "false")
            .env("DATABASE_URL", database.url())
            .env("SQLX_OFFLINE_DIR", fresh),
    )
}

/// Returns the command that checks only the crates with queries, even if cargo considers them up to date.
fn alone(database: &str) -> Command {
    let mut check = workspace::cargo();
    check
        .args(["clippy", "--lib"])
        .args(CRATES.iter().flat_map(|(name, _)| ["--package", name]))
        .arg("--")
        // A new argument makes clippy check the workspace's crates again, and no others. No code uses this flag.
        .arg("--cfg")
        .arg(format!("expanded_for=\"{database}\""));
    check
}

/// Compares the committed metadata with fresh metadata.
fn compare(fresh: &Path) -> Result<()> {
    let differences = differences(&read(&committed())?, &read(fresh)?);
    if differences.is_empty() {
        return Ok(());
    }
    bail!(
        ".sqlx does not match the code and the migrations:\n{}\nRun `cargo xtask prepare` and commit .sqlx.",
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

    /// Queries in other crates would have no metadata, so they would not build without a database.
    #[test]
    fn only_listed_crates_hold_checked_queries() {
        let mut grep = std::process::Command::new("git");
        grep.current_dir(workspace::root())
            .args(["grep", "--name-only", "--extended-regexp"])
            .args([
                r"\bquery(_as|_scalar|_file|_file_as|_file_scalar)?!\(",
                "--",
                "*.rs",
            ]);
        let found = String::from_utf8(grep.output().unwrap().stdout).unwrap();
        let files: Vec<_> = found
            .lines()
            .filter(|file| !file.starts_with("xtask/"))
            .collect();
        assert!(files.len() > 40, "{files:?}");
        let listed = |file: &str| CRATES.iter().any(|(_, folder)| file.starts_with(folder));
        let elsewhere: Vec<_> = files.into_iter().filter(|file| !listed(file)).collect();
        assert!(elsewhere.is_empty(), "add to `CRATES`: {elsewhere:?}");
    }

    #[test]
    fn every_kind_of_difference_is_reported() {
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
