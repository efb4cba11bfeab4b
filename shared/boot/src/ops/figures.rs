//! What a worker's `/metrics` tells: read when it is asked for.

use prometheus::core::Collector;
use prometheus::{
    Encoder as _, Gauge, GaugeVec, IntCounter, IntCounterVec, Opts, Registry, TextEncoder,
};

use crate::Readiness;

/// The metrics of this process in Prometheus's text format.
///
/// # Errors
///
/// If a metric's name is invalid or taken: a bug in this file.
pub(super) fn text(readiness: &Readiness) -> prometheus::Result<String> {
    let registry = Registry::new();
    let add = |collector: Box<dyn Collector>| registry.register(collector);
    let gauge = |name: &str, help: &str, value: f64| {
        let gauge = Gauge::new(name, help)?;
        gauge.set(value);
        add(Box::new(gauge))
    };

    let build = GaugeVec::new(
        Opts::new("tarsy_build_info", "Version of this process; always 1."),
        &["version"],
    )?;
    build
        .with_label_values(&[env!("CARGO_PKG_VERSION")])
        .set(1.0);
    add(Box::new(build))?;

    let jobs = IntCounterVec::new(
        Opts::new(
            "tarsy_worker_jobs_total",
            "Claims on jobs that ended in this process, by outcome.",
        ),
        &["outcome"],
    )?;
    for (outcome, count) in tarsy_queue::ended_claims() {
        jobs.with_label_values(&[outcome]).inc_by(count);
    }
    add(Box::new(jobs))?;
    let lost = IntCounter::new(
        "tarsy_worker_lost_claims_total",
        "Claims of this process that others took over before they ended.",
    )?;
    lost.inc_by(tarsy_queue::lost_claims());
    add(Box::new(lost))?;

    let connections = GaugeVec::new(
        Opts::new("tarsy_pool_connections", "Connections to Postgres."),
        &["state"],
    )?;
    let (size, idle) = readiness.connections();
    connections
        .with_label_values(&["idle"])
        .set(f64::from(idle));
    connections
        .with_label_values(&["used"])
        .set(f64::from(size.saturating_sub(idle)));
    add(Box::new(connections))?;
    gauge(
        "tarsy_worker_draining",
        "Whether this process is told to end.",
        f64::from(u8::from(readiness.is_draining())),
    )?;

    if let Some(process) = ProcessFigures::read() {
        let cpu = prometheus::Counter::new(
            "process_cpu_seconds_total",
            "User and system CPU time, in seconds.",
        )?;
        cpu.inc_by(process.cpu_seconds);
        add(Box::new(cpu))?;
        gauge(
            "process_resident_memory_bytes",
            "Resident memory.",
            process.resident_bytes,
        )?;
        gauge("process_open_fds", "Open files.", process.open_files)?;
    }

    let mut text = Vec::new();
    TextEncoder::new().encode(&registry.gather(), &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What Linux says about this process.
struct ProcessFigures {
    cpu_seconds: f64,
    resident_bytes: f64,
    open_files: f64,
}

impl ProcessFigures {
    /// `None` where there is no `/proc`.
    fn read() -> Option<Self> {
        /// Of `/proc`, whatever the kernel's own: USER_HZ.
        const TICKS_A_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        // The name, in brackets, may hold spaces; fields are counted from behind it.
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kibibytes: f64 = resident.split_whitespace().next()?.parse().ok()?;
        let files = std::fs::read_dir("/proc/self/fd").ok()?.count();
        Some(Self {
            cpu_seconds: (ticks(11)? + ticks(12)?) / TICKS_A_SECOND,
            resident_bytes: kibibytes * 1024.0,
            open_files: u32::try_from(files).ok()?.into(),
        })
    }
}
