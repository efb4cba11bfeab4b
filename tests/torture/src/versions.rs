//! The two versions of a rolling upgrade: the database starts at the older schema and is migrated while older processes
//! run.

use std::path::Path;

use anyhow::{Context as _, Result};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_testing::tools;
use url::Url;

/// Number of connections of the run itself.
const POOL: u32 = 10;

/// Creates a database with the `migrations` of another build.
pub(crate) async fn database_of(build: &Path, server: &Url) -> Result<(PgPool, String)> {
    let mut admin = PgConnection::connect(server.as_str()).await?;
    sqlx::raw_sql("create database tarsy_upgraded")
        .execute(&mut admin)
        .await?;
    admin.close().await?;
    let mut url = server.clone();
    url.set_path("tarsy_upgraded");
    let pool = PgPoolOptions::new()
        .max_connections(POOL)
        .connect_lazy(url.as_str())?;
    apply(&build.join("migrations"), &pool).await?;
    Ok((pool, url.into()))
}

/// Migrates the database to the version of this build, as `tarsy migrate` does.
pub(crate) async fn migrate(pool: &PgPool) -> Result<()> {
    apply(&tools::workspace().join("migrations"), pool).await
}

async fn apply(folder: &Path, pool: &PgPool) -> Result<()> {
    let migrator = Migrator::new(folder)
        .await
        .with_context(|| format!("{} holds no migrations", folder.display()))?;
    migrator
        .run(pool)
        .await
        .with_context(|| format!("{} can't be applied", folder.display()))
}

/// The last applied migration.
pub(crate) async fn version(pool: &PgPool) -> Result<i64> {
    let query = "select max(version) from _sqlx_migrations";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}
