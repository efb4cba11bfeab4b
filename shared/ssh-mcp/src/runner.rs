//! Runs commands, one at a time on each host. Answers of read-only commands are cached for a short time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tarsy_mcp_server::Effect;
use tokio::sync::Mutex;

use crate::cache::Cache;
use crate::error::Refusal;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::{connection, quote};

/// Longest wait for another command on the same host.
const TURN: Duration = Duration::from_secs(2);

/// Runs the commands that a [`Policy`] allows.
#[derive(Debug)]
pub struct Runner {
    policy: Policy,
    cache: Cache,
    turns: BTreeMap<String, Mutex<()>>,
}

impl Runner {
    /// Creates a runner for a policy.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let turns = policy
            .targets
            .keys()
            .map(|name| (name.clone(), Mutex::default()))
            .collect();
        Self {
            cache: Cache::new(policy.cache),
            turns,
            policy,
        }
    }

    pub(crate) const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Runs the template `command` on a host. The error is a message for the caller.
    ///
    /// # Errors
    ///
    /// The reason why nothing was sent; or that the connection broke, so the command may have run.
    pub async fn run(
        &self,
        host: &str,
        command: &str,
        values: &Map<String, Value>,
    ) -> Result<Outcome, String> {
        self.decide_and_run(host, command, values)
            .await
            .map_err(|refusal| refusal.to_string())
    }

    async fn decide_and_run(
        &self,
        host: &str,
        command: &str,
        values: &Map<String, Value>,
    ) -> Result<Outcome, Refusal> {
        let (target, argv) = self.policy.decide(host, command, values)?;
        let template = self.policy.templates.get(command);
        let is_read_only = template.is_some_and(|template| template.effect == Effect::ReadOnly);
        let turn = self
            .turns
            .get(host)
            .ok_or_else(|| Refusal::NotAllowed(host.to_owned()))?;
        let turn = tokio::time::timeout(TURN, turn.lock()).await;
        let _turn = turn.map_err(|_| Refusal::Busy(host.to_owned()))?;
        // Check the cache during the turn, so that a caller that waited for the same command gets its answer.
        if is_read_only && let Some(outcome) = self.cache.get(host, &argv) {
            return Ok(outcome);
        }
        let line = quote::command_line(&argv, target.login.limit);
        let outcome = connection::run(&Arc::clone(&target), line).await?;
        if is_read_only && !outcome.timed_out {
            self.cache.put(host, &argv, &outcome);
        }
        Ok(outcome)
    }
}
