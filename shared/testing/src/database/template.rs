//! The migrated template database that test databases are copied from.

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
    let migrator = Migrator::new(folder.as_path())
        .await
        .map_err(|source| Error::Migrate {
            folder: folder.clone(),
            source,
        })?;
    let name = format!("tarsy_template_{}", fingerprint(&migrator));

    let Server { url, connection } = server;
    if !exists(connection, &name)
        .await
        .map_err(database_error("look for the template", url))?
    {
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
    // Freed with the connection at the latest.
    sqlx::query("select pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut *connection)
        .await
        .map_err(failed)?;
    if !exists(connection, name).await.map_err(failed)? {
        // Created under another name and renamed: a template of this name is always complete.
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

/// Hash of the migrations: sixteen hex digits that change with any version or text.
fn fingerprint(migrator: &Migrator) -> String {
    // FNV-1a: stable over processes and toolchains, unlike the standard library's hasher.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for migration in migrator.iter() {
        for byte in migration
            .version
            .to_be_bytes()
            .iter()
            .chain(migration.checksum.iter())
        {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
