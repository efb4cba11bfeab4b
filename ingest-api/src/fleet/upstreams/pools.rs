//! MCP servers of each pool of stage workers, and so of each cluster if a pool serves one.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::{Pool, offered_server};
use tarsy_queue::WorkerStats;
use tarsy_store::calls::PoolCalls;
use utoipa::ToSchema;

/// MCP servers of one pool of stage workers. If each cluster has its own pool, these are the cluster's sources.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct PoolSources {
    pool: String,
    /// Live stage workers that claim from the pool.
    workers: usize,
    /// Servers that a worker of the pool offers, and servers that were called recently; sorted by name.
    sources: Vec<Source>,
}

/// An MCP server, as one pool uses it.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct Source {
    server: String,
    /// Live workers of the pool in whose configuration the server is enabled.
    workers: usize,
    /// Calls from the pool since `since_us`.
    calls: i64,
    /// Failed calls among them.
    failed: i64,
    last_success_us: Option<i64>,
    last_failure_us: Option<i64>,
    /// Error of the newest failed call.
    last_error: Option<String>,
}

/// Returns every pool that has a live worker or recent calls, by name.
pub(crate) fn pool_sources(
    workers: &[WorkerStats],
    calls: Vec<PoolCalls>,
    configured: &[String],
) -> Vec<PoolSources> {
    let mut pools: BTreeMap<String, (usize, BTreeMap<String, Source>)> = BTreeMap::new();
    for worker in workers.iter().filter(|worker| worker.alive) {
        for pool in worker
            .queues
            .iter()
            .filter_map(|queue| Pool::of_stage_queue(queue))
        {
            let (count, sources) = pools.entry(pool).or_default();
            *count += 1;
            for server in offered(worker, configured) {
                let source = sources.entry(server.to_owned()).or_default();
                source.workers += 1;
            }
        }
    }
    for seen in calls {
        let (_, sources) = pools.entry(seen.pool).or_default();
        let source = sources.entry(seen.server).or_default();
        source.calls = seen.calls;
        source.failed = seen.failed;
        source.last_success_us = seen.last_success_us;
        source.last_failure_us = seen.last_failure_us;
        source.last_error = seen.last_error;
    }
    let pools = pools
        .into_iter()
        .map(|(pool, (workers, sources))| PoolSources {
            pool,
            workers,
            sources: sources
                .into_iter()
                .map(|(server, source)| Source { server, ..source })
                .collect(),
        });
    pools.collect()
}

/// Returns the MCP servers that a worker offers. A worker of an older version does not report its
/// offers and can run every stage, so it offers all.
fn offered<'a>(worker: &'a WorkerStats, configured: &'a [String]) -> Vec<&'a str> {
    match &worker.offers {
        Some(offers) => offers
            .iter()
            .filter_map(|offer| offered_server(offer))
            .collect(),
        None => configured.iter().map(String::as_str).collect(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use uuid::Uuid;

    use super::*;

    fn worker(queue: &str, offers: Option<&[&str]>, alive: bool) -> WorkerStats {
        WorkerStats {
            id: Uuid::nil(),
            role: String::new(),
            host: String::new(),
            pid: 1,
            version: String::new(),
            queues: vec![queue.to_owned()],
            offers: offers.map(|all| all.iter().map(|&one| one.to_owned()).collect()),
            slots: 1,
            started_at: Utc::now(),
            heartbeat_at: Utc::now(),
            heartbeat_age_seconds: 0.0,
            alive,
            draining: false,
            drain_requested: false,
            trouble: None,
            config_hash: None,
            config_since: None,
            running: Vec::new(),
        }
    }

    #[test]
    fn a_pool_has_what_its_live_workers_offer_and_what_it_called() {
        let workers = [
            worker(
                "stage:west",
                Some(&["agent:a", "server:kubernetes", "server:metrics"]),
                true,
            ),
            worker("stage:west", Some(&["server:kubernetes"]), true),
            worker("stage:west", Some(&["server:logs"]), false),
            worker("stage:east", None, true),
            worker("chain", Some(&["server:kubernetes"]), true),
        ];
        let calls = vec![PoolCalls {
            pool: "north".to_owned(),
            server: "wiki".to_owned(),
            calls: 2,
            failed: 1,
            last_success_us: Some(1),
            last_failure_us: Some(2),
            last_error: Some("connection refused".to_owned()),
        }];
        let pools = pool_sources(&workers, calls, &["wiki".to_owned()]);
        let lines = pools.iter().flat_map(|pool| {
            pool.sources.iter().map(|source| {
                format!(
                    "{} {} {} {} {}",
                    pool.pool, pool.workers, source.server, source.workers, source.failed
                )
            })
        });
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                "east 1 wiki 1 0",
                "north 0 wiki 0 1",
                "west 2 kubernetes 2 0",
                "west 2 metrics 1 0"
            ]
        );
    }
}
