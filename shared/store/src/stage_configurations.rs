//! Configurations that stages ran with. Each one is stored once.

use std::collections::BTreeMap;

use serde_json::Value;
use sqlx::PgConnection;
use tarsy_model::SessionId;

use crate::Error;

/// Stores a configuration under its hash, unless it is already stored.
pub async fn keep_stage_configuration(
    conn: &mut PgConnection,
    hash: &str,
    configuration: &Value,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into stage_configurations (configuration_hash, configuration) values ($1, $2) on conflict do nothing",
        hash,
        configuration,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the configurations that the stages of a session ran with, by hash.
pub async fn configurations_of(
    conn: &mut PgConnection,
    session_id: SessionId,
) -> Result<BTreeMap<String, Value>, Error> {
    let rows = sqlx::query!(
        "select configuration_hash, configuration from stage_configurations
         where configuration_hash in (select configuration_hash from stage_executions where session_id = $1)",
        session_id.as_uuid(),
    )
    .fetch_all(conn)
    .await?;
    let named = rows
        .into_iter()
        .map(|row| (row.configuration_hash, row.configuration));
    Ok(named.collect())
}
