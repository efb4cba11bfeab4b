//! Checks of the queue and its workers.

use tarsy_queue::{QueueStats, WorkerStats};

use super::Check;

const QUEUE: &str = "queue";
const WORKERS: &str = "workers";
/// Age in seconds of the oldest ready job beyond which there are too few workers.
const OLD_SECONDS: f64 = 60.0;

pub(crate) fn checks(queues: &[QueueStats], workers: &[WorkerStats]) -> Vec<Check> {
    let mut checks: Vec<Check> = queues.iter().flat_map(of_queue).collect();
    if checks.is_empty() {
        let (ready, running) = queues.iter().fold((0, 0), |(ready, running), q| {
            (ready + q.ready, running + q.running)
        });
        checks.push(Check::ok(
            QUEUE,
            format!("{ready} jobs ready, {running} running, none dead"),
        ));
    }
    checks.extend(of_workers(workers));
    checks
}

fn of_queue(queue: &QueueStats) -> Vec<Check> {
    let mut checks = Vec::new();
    let name = &queue.queue;
    if queue.paused_at.is_some() {
        let by = queue.paused_by.as_deref().unwrap_or("an unknown user");
        checks.push(Check::warning(
            QUEUE,
            format!(
                "`{name}` is paused by {by}: {}",
                queue.pause_reason.as_deref().unwrap_or("no reason given")
            ),
            format!("tarsy queues resume {name}"),
        ));
    } else if queue.ready > 0 && queue.workers == 0 {
        checks.push(Check::failure(
            QUEUE,
            format!("`{name}` has {} jobs ready and no live worker", queue.ready),
            "start a worker for it (a pool of stages is named by TARSY_STAGE_POOLS)",
        ));
    } else if let Some(age) = queue.oldest_ready_seconds.filter(|age| *age > OLD_SECONDS) {
        checks.push(Check::warning(
            QUEUE,
            format!("the oldest ready job of `{name}` has waited for {age:.0} s, with {} workers that have {} slots", queue.workers, queue.slots),
            "add workers or slots; `tarsy workers` shows what runs",
        ));
    }
    if queue.dead > 0 {
        checks.push(Check::warning(
            QUEUE,
            format!("`{name}` has {} dead jobs", queue.dead),
            "tarsy dead; then requeue or discard them",
        ));
    }
    checks
}

fn of_workers(workers: &[WorkerStats]) -> Vec<Check> {
    let mut checks = Vec::new();
    for role in ["chain-worker", "stage-worker"] {
        let alive: Vec<&WorkerStats> = workers
            .iter()
            .filter(|worker| worker.alive && worker.role == role)
            .collect();
        match alive.len() {
            0 => checks.push(Check::failure(
                WORKERS,
                format!("no live {role}"),
                format!("start one: tarsy {role}"),
            )),
            1 => checks.push(Check::warning(
                WORKERS,
                format!("only one live {role}: if it dies, work waits until it is started again"),
                "run two or more, on different machines",
            )),
            count => checks.push(Check::ok(WORKERS, format!("{count} live {role}s"))),
        }
        for worker in alive {
            if let Some(trouble) = &worker.trouble {
                checks.push(Check::failure(
                    WORKERS,
                    format!("{role} on {} (pid {}): {trouble}", worker.host, worker.pid),
                    "look at its log",
                ));
            }
        }
    }
    let mut versions: Vec<&str> = workers
        .iter()
        .filter(|worker| worker.alive)
        .map(|worker| worker.version.as_str())
        .collect();
    versions.sort_unstable();
    versions.dedup();
    if versions.len() > 1 {
        checks.push(Check::warning(
            WORKERS,
            format!("several versions run: {}", versions.join(", ")),
            "finish the rollout: two versions may run side by side for a while only",
        ));
    }
    checks
}
