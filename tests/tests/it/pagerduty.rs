//! A PagerDuty incident gets one note and is resolved once, no matter which process dies.

use std::os::unix::process::ExitStatusExt as _;

use serde_json::json;
use tarsy_testing::wait;
use tarsy_tests::fake_pagerduty::{FakePagerDuty, INCIDENT, KEY};
use tarsy_tests::{Fleet, SOON, scene};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/pagerduty.yaml");

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_around_its_answers_writes_one_note_and_resolves_once() {
    for (point, hangs) in [
        ("lone.note_attempt.before_commit", false),
        ("lone.note_attempt.after_commit", false),
        // The note is written and the incident is resolved, but the response to the resolution never arrives.
        ("by hand", true),
    ] {
        let duty = FakePagerDuty::start(hangs).await;
        let fleet = Fleet::new(scene::play)
            .await
            .with("AGENT_CONFIG_FILE", CONFIG)
            .with("TARSY_TEST_PAGERDUTY_URL", &duty.url)
            .with("TARSY_TEST_PAGERDUTY_KEY", KEY);
        let (api, _stage) = (fleet.ingest().await, fleet.stage_worker());
        let armed = fleet.program("chain-worker");
        let armed = match hangs {
            true => armed,
            false => armed.env("TARSY_CRASH_AT", point),
        };
        let armed = armed.start().unwrap();
        let data = json!({"labels": {"pagerduty_incident_id": INCIDENT}});
        let alert =
            json!({"alert_type": "ReportOnly", "runbook": "local:checkout.md", "data": data});
        let session = fleet.submit_body(&api, &alert).await;
        if hangs {
            wait::until("the incident to be resolved", SOON, async || {
                duty.resolved().0 == 1
            })
            .await;
            armed.kill();
        }
        let status = armed.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{point}: {status}");
        assert_eq!(duty.notes().len(), 1, "{point}: it died after the note");

        let _chain = fleet.chain_worker();
        wait::until("the delivery to be noted", SOON, async || {
            let noted = "select count(*) from webhook_deliveries where state = 'delivered' and attempts = 1";
            let jobs = "select count(*) from jobs";
            fleet.rows.count(noted).await == 1 && fleet.rows.count(jobs).await == 0
        })
        .await;
        fleet.rows.ended(session, SOON).await;
        let notes = duty.notes();
        assert_eq!(notes.len(), 1, "{point}: {notes:?}");
        assert!(
            notes[0].contains(scene::ANALYSIS) && notes[0].contains("tarsy "),
            "{point}"
        );
        assert_eq!(duty.resolved(), (1, 0), "{point}");
        fleet.assert_sound_after(point).await;
    }
}
