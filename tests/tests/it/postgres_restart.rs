//! Postgres crashes twice under load: every accepted alert reaches its end, and no process needs a restart.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use futures::StreamExt as _;
use tarsy_testing::postgres::{Cluster, Installation, Stop};
use tarsy_testing::{TestDb, wait};
use tarsy_tests::{Alert, Fleet, Ingest, SOON, scene};
use url::Url;
use uuid::Uuid;

/// Number of posted alerts, and of concurrent clients.
const ALERTS: usize = 60;
const CLIENTS: usize = 8;

/// Maximum time of the recovery. Reconnects back off, and leases are checked only three seconds after a server starts.
const RECOVERED: Duration = Duration::from_secs(90);

fn cluster(folder: &Path) -> Cluster {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let installation = Installation::find_or_install(&tools, &|_| ()).unwrap();
    Cluster::start(&installation, folder, &|_| ()).unwrap()
}

/// Posts all alerts, like clients that retry until they get 202.
async fn post_all(fleet: &Fleet, ingest: &Ingest) -> Vec<Uuid> {
    futures::stream::iter((0..ALERTS).map(|_| Alert::new("CheckoutDown")))
        .map(|alert| async move { fleet.post(ingest, &alert).await })
        .buffer_unordered(CLIENTS)
        .collect()
        .await
}

/// Crashes the server after a third of the alerts, and again after two thirds.
async fn crash_twice(fleet: &Fleet, cluster: &mut Cluster) {
    for third in [1, 2] {
        wait::until("a part of the alerts", SOON, async || {
            let count = sqlx::query_scalar::<_, i64>("select count(*) from alert_sessions");
            count
                .fetch_one(fleet.rows.pool())
                .await
                .is_ok_and(|n| n >= third * i64::try_from(ALERTS).unwrap() / 3)
        })
        .await;
        tokio::task::block_in_place(|| cluster.restart(Stop::Immediate)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_accepted_alert_reaches_its_end_across_two_crashes_of_postgres() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut cluster = cluster(folder.path());
    let db = TestDb::create_on(&Url::parse(&cluster.url("postgres")).unwrap())
        .await
        .unwrap();
    let fleet = Fleet::on(db, scene::play)
        .await
        .with("TARSY_LEASE_TTL", "10s");
    let ingest = fleet.ingest().await;
    let workers = [
        fleet.chain_worker(),
        fleet.chain_worker(),
        fleet.stage_worker(),
        fleet.stage_worker(),
    ];
    fleet.workers(4).await;

    let (accepted, ()) = tokio::join!(post_all(&fleet, &ingest), crash_twice(&fleet, &mut cluster));
    fleet.rows.all_ended(RECOVERED).await;

    for id in &accepted {
        let ended = fleet.rows.session(*id).await;
        assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
        assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
    }
    let sessions = fleet
        .rows
        .count("select count(*) from alert_sessions")
        .await;
    assert_eq!(
        sessions,
        i64::try_from(ALERTS).unwrap(),
        "one session for each alert, however often it was posted"
    );
    fleet.assert_sound().await;
    assert!(
        fleet.ledger.calls("restart_service") <= ALERTS,
        "no call that changes the world was made twice"
    );
    assert!(ingest.process.is_running() && workers.iter().all(|worker| worker.is_running()));
}
