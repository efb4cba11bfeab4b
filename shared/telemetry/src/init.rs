//! Initializes and shuts down logs and traces.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};

use crate::json::TracedJson;
use crate::{EscapingWriter, LogFormat, LogSettings, install_crypto, log_queue};

/// Name of the span around each run of a job in log lines. It is not exported. The job's work has its own span in the
/// trace of its session, so this one would be a trace without content.
const QUEUE_SPAN: &str = "job";

/// Reason why setting up logs or traces failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `RUST_LOG` does not parse.
    #[error("invalid log filter")]
    Filter(#[source] tracing_subscriber::filter::ParseError),
    /// The OTLP exporter does not build, e.g. for a malformed endpoint.
    #[error("failed to build the OTLP exporter")]
    Exporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// The subscriber that the filter belongs to no longer exists.
    #[error("logging has ended")]
    Gone(#[source] reload::Error),
    /// Another subscriber is installed in this process.
    #[error("logging is already initialized")]
    Installed(#[source] tracing_subscriber::util::TryInitError),
}

/// Changes the log filter of a running process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

impl LogFilter {
    /// Replaces the filter by these directives.
    ///
    /// # Errors
    ///
    /// [`Error::Filter`], [`Error::Gone`].
    pub fn set(&self, directives: &str) -> Result<(), Error> {
        let filter = EnvFilter::try_new(directives).map_err(Error::Filter)?;
        self.0.reload(filter).map_err(Error::Gone)
    }
}

/// Guard of the trace exporter; [`Telemetry::shutdown`] flushes it before the process ends.
#[derive(Debug)]
#[must_use = "without `shutdown` the last traces of the process may be lost"]
pub struct Telemetry {
    filter: LogFilter,
    traces: Option<SdkTracerProvider>,
    /// Writes the last lines when it is dropped.
    lines: WorkerGuard,
}

impl Telemetry {
    /// Installs the process's log subscriber, trace exporter and TLS provider.
    ///
    /// # Errors
    ///
    /// [`Error`] when the filter or endpoint is malformed, or when called twice.
    pub fn init(settings: &LogSettings) -> Result<Self, Error> {
        install_crypto();
        let filter = EnvFilter::try_new(&settings.filter).map_err(Error::Filter)?;
        let (filter, handle) = reload::Layer::new(filter);
        let traces = settings
            .otlp_endpoint
            .as_deref()
            .map(|endpoint| exporter(endpoint, &settings.service_name))
            .transpose()?;
        let spans = traces.as_ref().map(|provider| {
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer("tarsy"))
                .with_filter(filter_fn(|span| span.name() != QUEUE_SPAN))
        });
        let (queue, guard) = log_queue::start();
        let lines = fmt::layer()
            .with_ansi(false)
            .with_writer(move || EscapingWriter(queue.clone()));
        let lines = match settings.format {
            LogFormat::Json => lines.json().event_format(TracedJson::new()).boxed(),
            LogFormat::Text => lines.boxed(),
        };
        tracing_subscriber::registry()
            .with(filter)
            .with(lines)
            .with(spans)
            .try_init()
            .map_err(Error::Installed)?;
        Ok(Self {
            filter: LogFilter(handle),
            traces,
            lines: guard,
        })
    }

    /// Returns a handle that changes which lines are logged.
    #[must_use]
    pub fn filter(&self) -> LogFilter {
        self.filter.clone()
    }

    /// Flushes the buffer and stops exporting. Failures are logged, not returned: they must
    /// not change how the process ends.
    pub async fn shutdown(self) {
        let Self {
            traces,
            lines: _lines,
            ..
        } = self;
        let Some(traces) = traces else { return };
        // The exporter is a blocking client: it must not run on a runtime thread.
        match tokio::task::spawn_blocking(move || traces.shutdown()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(?error, "the last traces could not be sent"),
            Err(error) => tracing::warn!(?error, "flushing traces was interrupted"),
        }
    }
}

fn exporter(endpoint: &str, service_name: &str) -> Result<SdkTracerProvider, Error> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()
        .map_err(Error::Exporter)?;
    let resource = Resource::builder()
        .with_service_name(service_name.to_owned())
        .build();
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .build())
}
