//! A fresh, migrated database on the cluster that the environment names.

use anyhow::{Context as _, Result};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_testing::TestDb;

/// Creates a fresh database, dropped at the end.
pub(crate) async fn fresh() -> Result<TestDb> {
    TestDb::create()
        .await
        .context("no database to measure on: run this through `cargo xtask bench`")
}

/// A pool of `connections` to it.
pub(crate) async fn pool(url: &str, connections: u32) -> Result<PgPool> {
    Ok(PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .connect(url)
        .await?)
}

/// Lets Postgres settle, so that one benchmark does not slow down the next.
pub(crate) async fn vacuum_and_checkpoint(pool: &PgPool) -> Result<()> {
    sqlx::raw_sql("vacuum analyze").execute(pool).await?;
    sqlx::raw_sql("checkpoint").execute(pool).await?;
    Ok(())
}
