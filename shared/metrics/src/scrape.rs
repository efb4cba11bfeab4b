//! Renders the metrics for a scrape.

use std::sync::LazyLock;

use prometheus::proto::MetricFamily;
use prometheus::{Registry, Result};

use crate::exposition::Exposition;
use crate::factory::{MetricFactory, make};
use crate::process::{ProcessStats, STARTED};
use crate::{config, deliveries, housekeeping, jobs, live, llm, masking, mcp, repairs};

/// State of a process at the time of a scrape.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessState {
    /// Connections of the pool to Postgres.
    pub connections: u32,
    /// Idle connections among them.
    pub idle_connections: u32,
    /// Maximum number of connections of the pool.
    pub max_connections: u32,
    /// Whether the process is shutting down.
    pub is_draining: bool,
    /// Log lines that were dropped because their reader was too slow.
    pub dropped_log_lines: u64,
}

/// Creates all metrics at process start.
pub fn start() {
    LazyLock::force(&STARTED);
    // An error is ignored here, because each scrape reports it.
    let _ = make_all();
}

fn make_all() -> Result<()> {
    make(&config::METRICS)?;
    make(&deliveries::METRICS)?;
    make(&jobs::METRICS)?;
    make(&live::METRICS)?;
    make(&llm::METRICS)?;
    make(&mcp::METRICS)?;
    make(&masking::METRICS)?;
    make(&repairs::METRICS)
}

/// Returns all metrics of this process, as protobuf families.
///
/// # Errors
///
/// If a name is invalid or already used, which is a bug in this crate.
pub fn families(state: ProcessState) -> Result<Vec<MetricFamily>> {
    make_all()?;
    let now = MetricFactory(Registry::new());
    let build = now.gauges(
        "tarsy_build_info",
        "Version of this process; always 1.",
        &["version"],
    )?;
    build
        .with_label_values(&[env!("CARGO_PKG_VERSION")])
        .set(1.0);
    let connections = now.gauges(
        "tarsy_pool_connections",
        "Connections to Postgres by state: idle, used.",
        &["state"],
    )?;
    let used = state.connections.saturating_sub(state.idle_connections);
    for (word, count) in [("idle", state.idle_connections), ("used", used)] {
        connections.with_label_values(&[word]).set(count.into());
    }
    now.gauge(
        "tarsy_pool_max_connections",
        "Most connections to Postgres that this process opens for jobs and requests.",
        state.max_connections.into(),
    )?;
    now.gauge(
        "tarsy_process_draining",
        "Whether this process is shutting down.",
        f64::from(u8::from(state.is_draining)),
    )?;
    let dropped = now.sums(
        "tarsy_log_lines_dropped_total",
        "Log lines that this process dropped because their reader did not keep up.",
        &[],
    )?;
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
    dropped
        .with_label_values::<&str>(&[])
        .inc_by(state.dropped_log_lines as f64);
    if let Some(process) = ProcessStats::read() {
        let cpu = now.sums(
            "process_cpu_seconds_total",
            "User and system CPU time, in seconds.",
            &[],
        )?;
        cpu.with_label_values::<&str>(&[])
            .inc_by(process.cpu_seconds);
        for (name, help, value) in [
            (
                "process_resident_memory_bytes",
                "Resident memory.",
                process.resident_bytes,
            ),
            ("process_open_fds", "Open files.", process.open_files),
            (
                "process_start_time_seconds",
                "When this process started, in Unix time.",
                process.started_at,
            ),
        ] {
            now.gauge(name, help, value)?;
        }
    }
    housekeeping::add(&now)?;
    let mut families = MetricFactory::shared().0.gather();
    families.extend(now.0.gather());
    Ok(families)
}

/// Renders all metrics of this process, in the format that the scraper's `Accept` prefers.
///
/// # Errors
///
/// As [`families`].
pub fn scrape(state: ProcessState, accept: Option<&str>) -> Result<Exposition> {
    Exposition::encode(&families(state)?, accept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrape_renders_every_metric() {
        crate::jobs::ended("stage:p", "done", 0.5);
        crate::llm::called("gemini", "m", "ok", 1.5);
        let tokens = crate::llm::Tokens {
            input: 7,
            cached: 2,
            output: 3,
        };
        crate::llm::used("gemini", "m", tokens, Some(0.25));
        crate::mcp::called("kubernetes", "pods_list", "ok", 0.2);
        crate::repairs::llm("gateway", "tool_call");
        crate::llm::reply_form_changed("gateway", "small", "text", "json");
        crate::repairs::mcp("kubernetes", "result");
        crate::masking::masked("password", 2);
        crate::deliveries::attempted("slack", "sent");
        crate::config::started("abc");
        crate::config::reload_failed();
        crate::housekeeping::started("usage", std::time::Duration::ZERO);
        let state = ProcessState {
            connections: 5,
            idle_connections: 3,
            max_connections: 9,
            is_draining: true,
            dropped_log_lines: 4,
        };
        let rendered = scrape(state, None).unwrap().text;
        for line in [
            r#"tarsy_worker_jobs_total{outcome="done",queue="stage:p"} 1"#,
            r#"tarsy_worker_job_duration_seconds_count{queue="stage:p"} 1"#,
            r#"tarsy_llm_calls_total{model="m",provider="gemini",result="ok"} 1"#,
            r#"tarsy_llm_tokens_total{direction="input",model="m",provider="gemini"} 7"#,
            r#"tarsy_llm_cost_usd_total{model="m",provider="gemini"} 0.25"#,
            r#"tarsy_mcp_calls_total{result="ok",server="kubernetes",tool="pods_list"} 1"#,
            r#"tarsy_llm_repairs_total{provider="gateway",repair="tool_call"} 1"#,
            r#"tarsy_llm_reply_form_changes_total{from="text",model="small",provider="gateway",to="json"} 1"#,
            r#"tarsy_mcp_repairs_total{repair="result",server="kubernetes"} 1"#,
            r#"tarsy_masked_values_total{kind="password"} 2"#,
            r#"tarsy_delivery_attempts_total{result="sent",target="slack"} 1"#,
            r#"tarsy_config_info{hash="abc"} 1"#,
            r#"tarsy_config_reloads_total{result="failed"} 1"#,
            "tarsy_config_last_reload_successful 0",
            r#"tarsy_pool_connections{state="used"} 2"#,
            "tarsy_process_draining 1",
            "# TYPE tarsy_housekeeping_age_seconds gauge",
            "tarsy_log_lines_dropped_total 4",
        ] {
            assert!(
                rendered.lines().any(|one| one == line),
                "{line} in\n{rendered}"
            );
        }
        // A second scrape does not register any name twice.
        assert!(scrape(state, None).is_ok());
    }
}
