//! Traces as a process exports them, and log lines as they reach a terminal.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, mpsc};

use tarsy_telemetry::{
    EscapingWriter, LogFormat, LogSettings, Telemetry, current_traceparent, set_parent,
};
use tracing_subscriber::layer::SubscriberExt;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Accepts one POST and returns its bytes.
fn collector() -> (String, mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&request).to_lowercase();
            let Some(end) = request.windows(4).position(|w| w == b"\r\n\r\n") else {
                continue;
            };
            let length: usize = text
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |n| n.trim().parse().unwrap());
            if request.len() >= end + 4 + length {
                break;
            }
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
        sender.send(request).unwrap();
    });
    (endpoint, receiver)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_on_in_another_process_and_is_flushed_at_the_end() {
    let (endpoint, received) = collector();
    let mut settings = LogSettings::new("stage-worker");
    settings.format = LogFormat::Json;
    settings.otlp_endpoint = Some(endpoint);
    let telemetry = Telemetry::init(&settings).unwrap();

    let span = tracing::info_span!("run_stage");
    set_parent(&span, PARENT);
    let traceparent = span.in_scope(|| current_traceparent().unwrap());
    assert_eq!(traceparent[..35], PARENT[..35], "same trace");
    assert_ne!(traceparent, PARENT, "own span");
    assert_eq!(current_traceparent(), None, "outside of any span");

    drop(span);
    telemetry.shutdown().await;
    let request = received.recv().unwrap();
    let trace_id = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.to_be_bytes();
    assert!(request.starts_with(b"POST /v1/traces"));
    assert!(
        request.windows(16).any(|w| w == trace_id),
        "trace id in the export"
    );
    assert!(request.windows(12).any(|w| w == b"stage-worker"));
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_alert_name_cannot_forge_a_log_line() {
    let name = "x\n{\"level\":\"ERROR\"}\u{1b}[2J\u{202e}";
    for json in [false, true] {
        let sink = Sink::default();
        let writer = sink.clone();
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(move || EscapingWriter(writer.clone()));
        let layer: Box<dyn tracing_subscriber::Layer<_> + Send + Sync> = if json {
            Box::new(layer.json())
        } else {
            Box::new(layer)
        };
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(alert.name = %name, "accepted");
        });
        let logged = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(logged.matches('\n').count(), 1, "one line: {logged}");
        assert!(!logged.contains(['\u{1b}', '\u{202e}']), "{logged}");
        assert!(logged.contains("accepted"));
    }
}
