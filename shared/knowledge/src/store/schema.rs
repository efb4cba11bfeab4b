//! Migrations of the knowledge store.

use sqlx::{Connection as _, PgConnection};

use super::nearest;
use crate::error::{Error, Result};

/// Schema version of this program.
pub const SCHEMA_VERSION: i32 = 2;

/// Migration scripts, one per version.
const SCRIPTS: [&str; 2] = [
    include_str!("../../sql/0001_create_knowledge.sql"),
    include_str!("../../sql/0002_create_embeddings.sql"),
];

/// Advisory lock that lets only one process migrate at a time.
const LOCK: i64 = 0x7461_7273_795f_6b6e;

/// Creates or upgrades the tables; does nothing if they are up to date. If the server has pgvector, vectors can be
/// indexed afterwards. Returns the version.
///
/// # Errors
///
/// [`Error::NewerStore`], or [`Error::Database`] without the right to create schemas.
pub async fn enable(connection: &mut PgConnection) -> Result<i32> {
    let mut tx = connection.begin().await?;
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .execute(&mut *tx)
        .await?;
    let found = version(&mut tx).await?.unwrap_or(0);
    if found > SCHEMA_VERSION {
        return Err(newer(found));
    }
    let done = usize::try_from(found).unwrap_or(0);
    for script in SCRIPTS.into_iter().skip(done) {
        sqlx::raw_sql(script).execute(&mut *tx).await?;
    }
    nearest::enable(&mut tx).await?;
    tx.commit().await?;
    Ok(SCHEMA_VERSION)
}

/// Checks that the store is enabled and has this program's version.
///
/// # Errors
///
/// [`Error::NotEnabled`], also if its version is older, or [`Error::NewerStore`].
pub async fn check(connection: &mut PgConnection) -> Result<()> {
    match version(connection).await? {
        Some(SCHEMA_VERSION) => Ok(()),
        Some(found) if found > SCHEMA_VERSION => Err(newer(found)),
        _ => Err(Error::NotEnabled),
    }
}

async fn version(connection: &mut PgConnection) -> Result<Option<i32>> {
    let exists: bool =
        sqlx::query_scalar("select to_regclass('knowledge.schema_version') is not null")
            .fetch_one(&mut *connection)
            .await?;
    if !exists {
        return Ok(None);
    }
    let version = sqlx::query_scalar("select max(version) from knowledge.schema_version")
        .fetch_one(connection)
        .await?;
    Ok(version)
}

const fn newer(found: i32) -> Error {
    let known = SCHEMA_VERSION;
    Error::NewerStore { found, known }
}
