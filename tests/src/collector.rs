//! A fake trace collector. It accepts OTLP over HTTP and keeps the received spans.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use prost::Message as _;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A received span.
#[derive(Debug, Clone)]
pub struct SeenSpan {
    /// Service that sent it, e.g. `stage-worker`.
    pub service: String,
    /// Name of the operation.
    pub name: String,
    /// In hex.
    pub trace_id: String,
    /// In hex.
    pub span_id: String,
    /// Id of the parent span, in hex; empty for a root.
    pub parent_id: String,
    /// Span kind as OTLP numbers it: 1 internal, 2 server, 3 client, 5 consumer.
    pub kind: i32,
    /// Whether its status is an error.
    pub is_error: bool,
    /// Attributes with text values.
    pub attributes: BTreeMap<String, String>,
}

/// A running collector; stops when dropped.
#[derive(Debug)]
pub struct Collector {
    /// Value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub endpoint: String,
    spans: Arc<Mutex<Vec<SeenSpan>>>,
    server: JoinHandle<()>,
}

impl Collector {
    /// Starts on a free port of the loopback interface.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let spans = Arc::default();
        let router = Router::new()
            .route("/v1/traces", post(receive))
            .with_state(Arc::clone(&spans));
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self {
            endpoint,
            spans,
            server,
        }
    }

    /// Returns all spans so far.
    #[must_use]
    pub fn spans(&self) -> Vec<SeenSpan> {
        self.spans.lock().unwrap().clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(State(spans): State<Arc<Mutex<Vec<SeenSpan>>>>, body: Bytes) {
    let request = ExportTraceServiceRequest::decode(body).unwrap();
    for resource in request.resource_spans {
        let attributes = resource.resource.unwrap_or_default().attributes;
        let service = attributes
            .into_iter()
            .find(|attribute| attribute.key == "service.name");
        let service = match service.and_then(|attribute| attribute.value?.value) {
            Some(Value::StringValue(name)) => name,
            other => panic!("spans of a process without a name: {other:?}"),
        };
        let seen = resource
            .scope_spans
            .into_iter()
            .flat_map(|scope| scope.spans)
            .map(|span| SeenSpan {
                service: service.clone(),
                name: span.name,
                trace_id: hex(&span.trace_id),
                span_id: hex(&span.span_id),
                parent_id: hex(&span.parent_span_id),
                kind: span.kind,
                is_error: span.status.is_some_and(|status| status.code == 2),
                attributes: texts(span.attributes),
            });
        spans.lock().unwrap().extend(seen);
    }
}

fn texts(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    let texts = attributes.into_iter().filter_map(|attribute| {
        let Value::StringValue(text) = attribute.value?.value? else {
            return None;
        };
        Some((attribute.key, text))
    });
    texts.collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
