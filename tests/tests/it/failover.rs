//! The Postgres primary dies under load and its synchronous standby is promoted. The fleet continues by itself, by a
//! list of hosts or because the address moved. No accepted alert is lost, run twice or failed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt as _;
use sqlx::PgPool;
use tarsy_testing::{Pair, SilentProxy, wait};
use tarsy_tests::{Alert, Fleet, Ingest, Rows, SOON, scene};
use uuid::Uuid;

/// Number of posted alerts, and of concurrent clients.
const ALERTS: usize = 60;
const CLIENTS: usize = 8;

/// Maximum time for the work in progress to end.
const RECOVERED: Duration = Duration::from_secs(90);

/// How the fleet finds the new primary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its URL names both hosts.
    HostList,
    /// As with `HostList`, but the primary falls silent: connections stay open and new ones are accepted, without any
    /// response.
    SilentPrimary,
    /// One address leads to the standby after a while.
    MovedAddress,
}

/// Posts all alerts, like clients that retry until they get 202.
async fn post_all(fleet: &Fleet, ingest: &Ingest) -> Vec<(Alert, Uuid)> {
    futures::stream::iter((0..ALERTS).map(|_| Alert::new("CheckoutDown")))
        .map(|alert| async move {
            let session = fleet.post(ingest, &alert).await;
            (alert, session)
        })
        .buffer_unordered(CLIENTS)
        .collect()
        .await
}

/// Returns the content of each event by its id.
async fn events(pool: &PgPool) -> HashMap<i64, String> {
    let query = "select id, kind || payload::text from events";
    let rows: Vec<(i64, String)> = sqlx::query_as(query).fetch_all(pool).await.unwrap();
    rows.into_iter().collect()
}

/// Loses the primary after a third of the alerts and promotes the standby. Returns the events that existed before.
async fn fail_over(
    fleet: &Fleet,
    pair: &mut Pair,
    way: Way,
    proxy: Option<&SilentProxy>,
) -> HashMap<i64, String> {
    wait::until("a part of the alerts", SOON, async || {
        let count = "select count(*) from alert_sessions where status <> 'pending'";
        fleet.rows.count(count).await >= i64::try_from(ALERTS).unwrap() / 3
    })
    .await;
    let seen = events(fleet.rows.pool()).await;
    tokio::task::block_in_place(|| {
        match way {
            Way::SilentPrimary => pair.primary.freeze().unwrap(),
            Way::HostList | Way::MovedAddress => pair.primary.kill().unwrap(),
        }
        pair.standby.promote().unwrap();
    });
    if let Some(proxy) = proxy {
        proxy.lead_to(pair.standby.port());
    }
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleet_continues_by_itself_over_a_list_of_hosts() {
    survive(Way::HostList).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleet_continues_by_itself_when_the_primary_falls_silent() {
    survive(Way::SilentPrimary).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleet_continues_by_itself_when_the_address_moves() {
    survive(Way::MovedAddress).await;
}

async fn survive(way: Way) {
    let Some((mut pair, db)) = Pair::start().await else {
        return;
    };
    Rows::new(db.pool().clone()).watch_counts().await;
    pair.make_synchronous(db.pool()).await;
    let proxy = SilentProxy::before(db.url()).await;
    let (url, proxy) = match way {
        Way::HostList | Way::SilentPrimary => (pair.list(), None),
        Way::MovedAddress => (proxy.url(), Some(&proxy)),
    };
    let mut fleet = Fleet::on(db, scene::play)
        .await
        .with("DATABASE_URL", url)
        // Statements on a silent primary are given up after 5 s.
        .with("TARSY_LEASE_TTL", "20s");
    let ingest = fleet.ingest().await;
    let workers = [
        fleet.chain_worker(),
        fleet.chain_worker(),
        fleet.stage_worker(),
        fleet.stage_worker(),
    ];
    fleet.workers(4).await;

    let (accepted, seen) = tokio::join!(
        post_all(&fleet, &ingest),
        fail_over(&fleet, &mut pair, way, proxy)
    );
    let promoted = pair.standby_pool().await;
    fleet.rows = Rows::new(promoted.clone());
    fleet.rows.all_ended(RECOVERED).await;

    for (_, id) in &accepted {
        let ended = fleet.rows.session(*id).await;
        assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
        assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS));
    }
    let sessions = "select count(*) from alert_sessions";
    assert_eq!(
        fleet.rows.count(sessions).await,
        i64::try_from(ALERTS).unwrap(),
        "one session for each alert, however often it was posted"
    );
    let (alert, session) = &accepted[0];
    assert_eq!(fleet.post(&ingest, alert).await, *session);
    fleet.assert_sound().await;
    assert!(
        fleet.ledger.calls("restart_service") <= ALERTS,
        "no call that changes the world was made twice"
    );

    // No crash was counted against a job, and no process had to be restarted.
    let counted = fleet.rows.counted().await;
    assert!(counted.iter().all(|job| job.crashes == 0), "{counted:?}");
    assert!(ingest.process.is_running() && workers.iter().all(|worker| worker.is_running()));
    assert_eq!(fleet.rows.count("select count(*) from workers").await, 4);

    // An event that was seen is either unchanged or gone. Its id is not reused.
    let now = events(&promoted).await;
    for (id, event) in &seen {
        assert!(now.get(id).is_none_or(|found| found == event), "event {id}");
    }
    if way == Way::MovedAddress {
        return;
    }
    let passed_by = "select coalesce(max(id - before), 0)
                     from (select id, lag(id) over (order by id) as before from events) e";
    assert!(fleet.rows.count(passed_by).await > 5_000);

    // The former primary comes back and takes writes too, but the fleet does not use it.
    tokio::task::block_in_place(|| match way {
        Way::SilentPrimary => pair.primary.thaw().unwrap(),
        Way::HostList | Way::MovedAddress => pair.primary.start_again().unwrap(),
    });
    let later = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(later, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    let former = PgPool::connect(&pair.primary_url()).await.unwrap();
    for alone in [
        "alter system reset synchronous_standby_names",
        "select pg_reload_conf()",
    ] {
        sqlx::query(alone).execute(&former).await.unwrap();
    }

    // It does not even use it while the new primary is away. Then no alert is accepted.
    tokio::task::block_in_place(|| pair.standby.kill().unwrap());
    let alert = Alert::new("CheckoutDown");
    wait::until("an alert that nobody can accept", SOON, async || {
        fleet.try_post(&ingest.url, &alert).await.is_none()
    })
    .await;
    for _ in 0..3 {
        assert_eq!(fleet.try_post(&ingest.url, &alert).await, None);
    }
    let there: i64 = sqlx::query_scalar(
        "select count(*) from alert_sessions where position($1 in alert_data::text) > 0",
    )
    .bind(alert.key.to_string())
    .fetch_one(&former)
    .await
    .unwrap();
    assert_eq!(there, 0, "the former primary was written to");
    tokio::task::block_in_place(|| pair.standby.start_again().unwrap());
    let again = fleet.post(&ingest, &alert).await;
    let ended = fleet.rows.ended(again, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    tokio::task::block_in_place(|| pair.primary.kill().unwrap());
}
