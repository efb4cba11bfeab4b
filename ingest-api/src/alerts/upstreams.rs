//! Health of LLM providers and MCP servers. It is polled, so that no alert waits for it.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use sqlx::PgPool;
use tarsy_config::ChainUpstreams;
use tarsy_store::refusals::refusing_providers;
use tarsy_store::unreachable::unreachable_servers;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

use crate::server::clock;

const INTERVAL: Duration = Duration::from_secs(5);
/// Timeout of the query. If it fails, the previous result is kept.
const PATIENCE: Duration = Duration::from_secs(2);
/// Older failures don't count, because the provider or server may work again.
const SPAN_US: i64 = 15 * 60 * 1_000_000;

/// LLM provider that fails every call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RefusingProvider {
    #[schema(example = "openai")]
    provider: String,
    /// Error class of its newest call: `auth`, `rate_limited`, `connection`, ..
    #[schema(example = "auth")]
    class: String,
    /// Model calls that failed since its last success.
    failed_calls: i64,
    /// Start of the first of these calls, in Unix microseconds.
    since_us: i64,
}

/// An unreachable MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct UnreachableServer {
    #[schema(example = "kubernetes")]
    server: String,
    /// Error of the newest attempt.
    error: Option<String>,
    /// Attempts that failed since its last success.
    failed_tries: i64,
    /// Start of the first of these attempts, in Unix microseconds.
    since_us: i64,
    /// Start of the last of these attempts, in Unix microseconds. The next attempt is made when a session needs the
    /// server.
    last_tried_us: i64,
}

/// Upstreams that currently fail for all sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct FailingUpstreams {
    /// LLM providers that refuse every call.
    pub(crate) refusing: Arc<[RefusingProvider]>,
    pub(crate) unreachable: Arc<[UnreachableServer]>,
}

/// Cache of the failing upstreams, a few seconds old.
#[derive(Debug, Default)]
pub(crate) struct UpstreamHealth {
    failing: RwLock<FailingUpstreams>,
}

impl UpstreamHealth {
    /// Returns the upstreams that failed recently.
    pub(crate) fn failing(&self) -> FailingUpstreams {
        let failing = self.failing.read();
        failing.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the warnings for the sender of an alert: which upstreams of its chain fail.
    pub(crate) fn warnings(&self, used: &ChainUpstreams) -> Vec<String> {
        let FailingUpstreams {
            refusing,
            unreachable,
        } = self.failing();
        let refusing = refusing
            .iter()
            .filter(|one| used.providers.contains(&one.provider))
            .map(RefusingProvider::warning);
        let unreachable = unreachable
            .iter()
            .filter(|one| used.servers.contains(&one.server))
            .map(UnreachableServer::warning);
        refusing.chain(unreachable).collect()
    }

    /// Polls until `stop`.
    pub(crate) async fn run(&self, pool: &PgPool, stop: &CancellationToken) {
        loop {
            match tokio::time::timeout(PATIENCE, read_failing(pool)).await {
                Ok(Ok(found)) => self.note(found),
                Ok(Err(error)) => tracing::debug!(?error, "failed to read the newest calls"),
                Err(_) => tracing::debug!("timed out reading the newest calls"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    fn note(&self, found: FailingUpstreams) {
        let before = self.failing();
        for one in &*found.refusing {
            if before
                .refusing
                .iter()
                .all(|known| known.provider != one.provider)
            {
                tracing::warn!(
                    llm.provider = %one.provider,
                    error.class = %one.class,
                    "an LLM provider refuses every call"
                );
            }
        }
        for one in &*found.unreachable {
            if before
                .unreachable
                .iter()
                .all(|known| known.server != one.server)
            {
                tracing::warn!(
                    mcp.server = %one.server,
                    error = one.error.as_deref().unwrap_or("unknown"),
                    "an MCP server is unreachable"
                );
            }
        }
        let mut failing = self.failing.write().unwrap_or_else(PoisonError::into_inner);
        *failing = found;
    }
}

impl RefusingProvider {
    fn warning(&self) -> String {
        let since = clock::text_of(self.since_us);
        format!(
            "LLM provider `{}` refuses every call since {since} ({}): the analysis may fail",
            self.provider, self.class
        )
    }
}

impl UnreachableServer {
    fn warning(&self) -> String {
        let since = clock::text_of(self.since_us);
        format!(
            "MCP server `{}` is unreachable since {since}: the analysis goes without its tools",
            self.server
        )
    }
}

async fn read_failing(pool: &PgPool) -> Result<FailingUpstreams, tarsy_store::Error> {
    let mut conn = pool.acquire().await?;
    let since_us = clock::now_us() - SPAN_US;
    let refusing = refusing_providers(&mut conn, since_us).await?;
    let refusing = refusing.into_iter().map(|one| RefusingProvider {
        provider: one.provider,
        class: one.class,
        failed_calls: one.calls,
        since_us: one.since_us,
    });
    let unreachable = unreachable_servers(&mut conn, since_us).await?;
    let unreachable = unreachable.into_iter().map(|one| UnreachableServer {
        server: one.server,
        error: one.error,
        failed_tries: one.tries,
        since_us: one.since_us,
        last_tried_us: one.last_tried_us,
    });
    Ok(FailingUpstreams {
        refusing: refusing.collect(),
        unreachable: unreachable.collect(),
    })
}
