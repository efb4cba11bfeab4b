//! The migrated template database that test databases are copied from.

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use url::Url;

use super::{Server, connect, database_error, with_database};
use crate::{Error, Result};

/// Advisory lock: one test process creates the template, the others wait.
const LOCK: i64 = 0x7461_7273_795f_7470;

/// Returns the name of the template for the current migrations; creates it if it is missing.
pub(super) async fn ensure(server: &mut Server<'_>) -> Result<String> {
    let folder = migrations();
    let name = format!("tarsy_template_{}", fingerprint(&folder)?);

    let Server { url, connection } = server;
    if !exists(connection, &name)
        .await
        .map_err(database_error("look for the template", url))?
    {
        let migrator = Migrator::new(folder.as_path())
            .await
            .map_err(|source| Error::Migrate {
                folder: folder.clone(),
                source,
            })?;
        make(connection, url, &migrator, &name, &folder).await?;
    }
    Ok(name)
}

async fn make(
    connection: &mut PgConnection,
    server: &Url,
    migrator: &Migrator,
    name: &str,
    folder: &Path,
) -> Result<()> {
    let failed = |source| database_error("make the template of the test databases", server)(source);
    // The lock is released with the connection at the latest.
    sqlx::query("select pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    if !exists(connection, name).await.map_err(failed)? {
        // Created under another name and then renamed, so that a template of this name is always complete.
        let aside = format!("{name}_new");
        run(
            connection,
            format!("drop database if exists {aside} with (force)"),
        )
        .await
        .map_err(failed)?;
        run(connection, format!("create database {aside}"))
            .await
            .map_err(failed)?;
        let mut inside = connect(&with_database(server, &aside))
            .await
            .map_err(failed)?;
        migrator
            .run(&mut inside)
            .await
            .map_err(|source| Error::Migrate {
                folder: folder.to_owned(),
                source,
            })?;
        inside.close().await.map_err(failed)?;
        run(
            connection,
            format!("alter database {aside} allow_connections false"),
        )
        .await
        .map_err(failed)?;
        run(
            connection,
            format!("alter database {aside} rename to {name}"),
        )
        .await
        .map_err(failed)?;
    }
    sqlx::query("select pg_advisory_unlock($1)")
        .bind(LOCK)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    Ok(())
}

async fn exists(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(name)
        .fetch_one(connection)
        .await
}

async fn run(connection: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    connection.execute(AssertSqlSafe(statement)).await.map(drop)
}

fn migrations() -> PathBuf {
    crate::tools::workspace().join("migrations")
}

/// Returns a hash of the migrations: sixteen hex digits that change with any name or text.
///
/// Does not use the migrator's checksums: unoptimised SHA-384 of all texts takes 20 ms of each test.
fn fingerprint(folder: &Path) -> Result<String> {
    let mut files = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<Vec<_>>>()
        })
        .map_err(Error::io("read", folder))?;
    files.sort();
    // FNV-1a is stable across processes and toolchains, unlike the standard library's hasher.
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.file_name().unwrap_or_default();
        hash = hashed(hash, name.as_encoded_bytes());
        hash = hashed(hash, &fs::read(&file).map_err(Error::io("read", &file))?);
    }
    Ok(format!("{hash:016x}"))
}

/// Hashes words of eight bytes, and the length. One byte at a time would take eight times as long.
fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let length = (bytes.len() as u64).to_le_bytes();
    words
        .iter()
        .chain([&last, &length])
        .fold(hash, |hash, word| {
            (hash ^ u64::from_le_bytes(*word))
                .wrapping_mul(0x0000_0100_0000_01b3)
                // In a multiplication, high bits never reach low ones, so rotate.
                .rotate_left(29)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_a_migration_gives_another_template() {
        let folder = tempfile::tempdir().unwrap();
        let fingerprint_with = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir_in(&folder).unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            fingerprint(folder.path()).unwrap()
        };
        let some = [("1_a.sql", "create table a ()"), ("2_b.sql", "select 1")];
        let others: [&[_]; 7] = [
            &some,
            &some[..1],
            &[("1_a.sql", "create table a ()"), ("2_b.sql", "select 2")],
            &[("1_a.sql", "create table b ()"), ("2_b.sql", "select 1")],
            &[("1_a.sql", "create table a ()"), ("3_b.sql", "select 1")],
            &[("1_a.sql", "create table a ()\0"), ("2_b.sql", "select 1")],
            &[("1_a.sql", "select 1"), ("2_b.sql", "create table a ()")],
        ];
        let hashes: std::collections::BTreeSet<_> =
            others.iter().map(|files| fingerprint_with(files)).collect();
        assert_eq!(hashes.len(), others.len());
        assert_eq!(fingerprint_with(&some), fingerprint_with(&some));
    }
}
