//! One trace from the request that brings an alert to the last tool call of its last agent,
//! across all processes.

use std::collections::BTreeSet;

use tarsy_testing::wait;
use tarsy_tests::collector::{Collector, SeenSpan};
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
    // Their end flushes what they still hold.
    for process in [&ingest.process, &chain, &stage] {
        process.terminate();
        assert!(process.ended(SOON).await.success());
    }

    eprintln!(
        "SPANS {:?}",
        collector
            .spans()
            .iter()
            .map(|s| (s.service.clone(), s.name.clone()))
            .collect::<Vec<_>>()
    );
    // Each process sends its spans when it sees fit; the last to end are these.
    let all_sent = |spans: &[SeenSpan]| {
        let ended = |name: &str| spans.iter().filter(|span| span.name == name).count();
        ended("call tool") >= 3
            && ended("run stage") >= 3
            && ended("advance chain") >= 4
            && ended("request") > 0
    };
    wait::until("the spans of the whole chain", SOON, async || {
        all_sent(&collector.spans())
    })
    .await;
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
    assert_eq!(
        named("advance chain"),
        4,
        "start of three stages, end of the session"
    );
    assert_eq!(named("run stage"), 3);
    assert_eq!(named("ask model"), scene::QUESTIONS);
    assert_eq!(named("call tool"), 3);

    // Each span hangs on another of the trace, up to the request.
    let ids: BTreeSet<_> = ours.iter().map(|span| &span.span_id).collect();
    for span in &ours {
        let hangs = ids.contains(&span.parent_id) || span.span_id == request.span_id;
        assert!(hangs, "{span:?} hangs on nothing");
    }
}
