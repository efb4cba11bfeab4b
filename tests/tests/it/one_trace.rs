//! One trace from an alert's request to the last tool call, across all processes.

use std::collections::BTreeSet;

use tarsy_tests::collector::Collector;
use tarsy_tests::{Fleet, SOON, scene};

#[tokio::test(flavor = "multi_thread")]
async fn one_trace_spans_every_process_and_call_of_an_alert() {
    let collector = Collector::start().await;
    let fleet = Fleet::new(scene::play)
        .await
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint)
        .with("OTEL_BSP_SCHEDULE_DELAY", "100");
    let (ingest, chain, stage) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
    );
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    fleet.rows.ended(session, SOON).await;
    // Processes flush their spans when they exit.
    for process in [&ingest.process, &chain, &stage] {
        process.terminate();
        assert!(process.ended(SOON).await.success());
    }

    let spans = collector.spans();
    let request = spans.iter().find(|span| span.name == "request").unwrap();
    let ours: Vec<_> = spans
        .iter()
        .filter(|span| span.trace_id == request.trace_id)
        .collect();

    let services: BTreeSet<_> = ours.iter().map(|span| span.service.as_str()).collect();
    assert_eq!(
        services,
        BTreeSet::from(["chain-worker", "ingest-api", "stage-worker"])
    );
    let named = |name: &str| ours.iter().filter(|span| span.name == name).count();
    let counts = ["advance chain", "run stage", "ask model", "call tool"].map(named);
    assert_eq!(counts, [2, 3, scene::QUESTIONS, 3], "{ours:#?}");

    // Each span of the trace has a parent, up to the request.
    for span in &ours {
        let hangs = span.span_id == request.span_id
            || ours.iter().any(|other| other.span_id == span.parent_id);
        assert!(hangs, "{span:?} hangs on nothing");
    }
}
