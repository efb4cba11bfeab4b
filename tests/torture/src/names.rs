//! Checks that no stage or session fails because of an unknown name, although chains and agents are added and removed
//! with the configuration.

use std::time::Duration;

use anyhow::Result;
use sqlx::PgPool;
use tarsy_testing::wait;

use crate::Arguments;
use crate::client::Client;
use crate::configuration::hash;
use crate::fault::Fault;
use crate::invariants::{Broken, broken_by};

/// Timeout until healed processes have loaded their file.
const LOADING: Duration = Duration::from_secs(60);

/// Failures because of an unknown name, recognised by their class or these words.
const NAMELESS: &str = "select what from (
        select concat_ws(' ', execution_id, agent, error_class, error_message) as what, error_class, error_message from stage_executions
        union all select concat_ws(' ', session_id, chain_id, error_message), null, error_message from alert_sessions
        union all select concat_ws(' ', interaction_id, error_class, error_message), error_class, error_message from llm_interactions
        union all select concat_ws(' ', interaction_id, tool_name, error_message), null, error_message from mcp_interactions
    ) f
    where error_class in ('not_configured', 'llm_not_configured', 'unschedulable')
       or error_message ~ 'is not configured|no live worker of pool|no worker serves pool'";

/// Sessions of rolled-out chains that did not complete. Cancels are in the audit log (I8). Stages that failed because
/// the model failed are excused if a fault of the run may fail stages.
const ROLLED_OUT: &str = "select concat_ws(' ', session_id, chain_id, status, outcome, error_message) from alert_sessions s
    where chain_id like 'rollout-%' and coalesce(outcome::text, status::text) not in ('completed', 'cancelled')
      and not ($1 and exists (select from stage_executions e where e.session_id = s.session_id and e.error_class in
          ('llm_timeout', 'llm_connection', 'llm_overloaded', 'llm_server_error', 'llm_rate_limited', 'llm_malformed', 'llm_empty', 'deadline')))";

/// Violations in the rows.
pub(crate) async fn broken(pool: &PgPool, arguments: &Arguments) -> Result<Vec<Broken>> {
    let nameless = sqlx::query_scalar(NAMELESS).fetch_all(pool).await?;
    let fail = Fault::fails_stages;
    let explained = arguments.only.is_empty() || arguments.only.iter().copied().any(fail);
    let incomplete = sqlx::query_scalar(ROLLED_OUT).bind(explained);
    let incomplete = incomplete.fetch_all(pool).await?;
    let rules = [
        broken_by(
            "I12",
            "something failed because nobody knew a name",
            nameless,
        ),
        broken_by(
            "I12",
            "a session of a chain that was rolled out did not complete, and no other fault explains it",
            incomplete,
        ),
    ];
    Ok(rules.into_iter().flatten().collect())
}

/// Returns the processes that do not run the configuration with this text some time after they were healed. Processes
/// of an older build may not report it.
pub(crate) async fn outdated(
    pool: &PgPool,
    client: &Client,
    text: &str,
    may_be_silent: bool,
) -> Option<Broken> {
    let hash = hash(text);
    let mut outdated = Vec::new();
    let _ = wait::up_to(LOADING, async || {
        let workers: Vec<String> = sqlx::query_scalar(
            "select concat_ws(' ', role, pid, config_hash) from workers
             where config_hash is distinct from $1 and not ($2 and config_hash is null)
               and heartbeat_at > clock_timestamp() - interval '10 s'",
        )
        .bind(&hash)
        .bind(may_be_silent)
        .fetch_all(pool)
        .await
        .unwrap_or_else(|error| vec![error.to_string()]);
        let api = client.configuration().await;
        let is_outdated = api.as_ref().map_or(!may_be_silent, |api| *api != hash);
        let api = is_outdated.then(|| format!("ingest-api {}", api.unwrap_or_default()));
        outdated = workers.into_iter().chain(api).collect();
        outdated.is_empty()
    })
    .await;
    broken_by(
        "I12",
        "a process does not run the last configuration",
        outdated,
    )
}
