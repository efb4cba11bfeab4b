//! `GET /metrics`: Prometheus metrics.
//!
//! Metrics of this process are counted as events happen. Metrics of the fleet are read from the
//! database on a scrape, at most every five seconds ([`fleet`]).

mod fleet;
mod upkeep;

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::response::Response;
use prometheus::{Gauge, Histogram, IntCounterVec, IntGauge, Opts, Registry};
use sqlx::PgPool;
use tarsy_metrics::{DurationHistogram, Exposition, ProcessState};

use crate::server::metrics::fleet::Fleet;
use crate::sessions::HistoryReplica;

/// Histogram buckets of request durations, in seconds.
const SECONDS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// Metrics of this process.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: DurationHistogram,
    in_flight: IntGauge,
    sockets: IntGauge,
    database_up: Gauge,
    fleet: Fleet,
}

impl Metrics {
    /// Creates all metrics at zero. The intake updates `group_sizes`, the journal of rejections
    /// updates `rejected`, and requests that read history update those of the replica.
    ///
    /// # Errors
    ///
    /// If a metric name is invalid or taken, which is a bug in this file.
    pub(crate) fn new(
        group_sizes: Histogram,
        rejected: [IntCounterVec; 2],
        replica: Option<&HistoryReplica>,
    ) -> prometheus::Result<Self> {
        tarsy_metrics::live::serve();
        let registry = Registry::new();
        let metrics = Self {
            requests: IntCounterVec::new(
                Opts::new(
                    "tarsy_http_requests_total",
                    "Requests answered by this process.",
                ),
                &["method", "route", "status"],
            )?,
            seconds: DurationHistogram::new(
                "tarsy_http_request_duration_seconds",
                "Time until a request of this process was answered.",
                &["method", "route"],
                &SECONDS,
            )?,
            in_flight: IntGauge::new(
                "tarsy_http_requests_in_flight",
                "Requests that this process is working on.",
            )?,
            sockets: IntGauge::new("tarsy_live_sockets", "Live sockets of this process.")?,
            database_up: Gauge::new(
                "tarsy_database_up",
                "Whether the database answered the last scrape; 0: the fleet's figures are missing.",
            )?,
            fleet: Fleet::new(&registry)?,
            registry,
        };
        let Self {
            registry,
            requests,
            seconds,
            in_flight,
            sockets,
            database_up,
            ..
        } = &metrics;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.collector()))?;
        registry.register(Box::new(in_flight.clone()))?;
        registry.register(Box::new(sockets.clone()))?;
        registry.register(Box::new(database_up.clone()))?;
        registry.register(Box::new(group_sizes))?;
        if let Some(replica) = replica {
            replica.register(registry)?;
        }
        for figure in rejected {
            registry.register(Box::new(figure))?;
        }
        Ok(metrics)
    }

    /// Returns all metrics, including those that every process has, in the format that `accept`
    /// prefers. `sockets` is the number of open sockets.
    ///
    /// # Errors
    ///
    /// If a metric can't be encoded, which does not happen.
    pub(crate) async fn scrape(
        &self,
        pool: &PgPool,
        sockets: usize,
        state: ProcessState,
        accept: Option<&str>,
    ) -> prometheus::Result<Exposition> {
        self.sockets.set(i64::try_from(sockets).unwrap_or(i64::MAX));
        let is_up = self.fleet.read(pool).await;
        self.database_up.set(f64::from(u8::from(is_up)));
        let mut families = self.registry.gather();
        families.extend(tarsy_metrics::families(state)?);
        Exposition::encode(&families, accept)
    }

    /// Runs a request with `answer` and records its duration and status.
    pub(crate) async fn measure<F: Future<Output = Response>>(
        &self,
        request: Request,
        answer: impl FnOnce(Request) -> F,
    ) -> Response {
        let route = request.extensions().get::<MatchedPath>().cloned();
        let route = route.as_ref().map_or("-", MatchedPath::as_str);
        let method = known(request.method());
        let _working = Working::begin(&self.in_flight);
        let begun = Instant::now();
        let response = answer(request).await;
        let seconds = begun.elapsed().as_secs_f64();
        self.seconds.observe(&[method, route], seconds);
        let status = response.status();
        self.requests
            .with_label_values(&[method, route, status.as_str()])
            .inc();
        response
    }
}

/// Returns the label of a method. Unknown methods share one, because clients can invent any number.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        Method::HEAD => "HEAD",
        _ => "other",
    }
}

/// Guard that counts a running request, even if its client disconnects.
struct Working<'g>(&'g IntGauge);

impl<'g> Working<'g> {
    fn begin(gauge: &'g IntGauge) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}
