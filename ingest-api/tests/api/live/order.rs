//! Events whose transactions end in another order than they began.

use sqlx::{PgPool, Postgres, Transaction};
use tarsy_model::SessionId;

use super::watcher::{Watcher, event, publish, wake};
use crate::server::Server;

/// Opens a transaction that has published an event and not ended.
async fn publish_uncommitted(
    db: &PgPool,
    session: SessionId,
    n: i64,
) -> Transaction<'static, Postgres> {
    let mut tx = db.begin().await.unwrap();
    tarsy_store::events::publish(&mut tx, &[event(session, n)])
        .await
        .unwrap();
    tx
}

#[tokio::test]
async fn a_lower_id_that_commits_later_is_sent_first() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("dashboard_updates").await;

    let first = publish_uncommitted(server.db(), session, 1).await;
    let second = publish_uncommitted(server.db(), session, 2).await;
    second.commit().await.unwrap();
    wake(server.db()).await;
    first.commit().await.unwrap();
    wake(server.db()).await;
    assert_eq!(
        [watcher.next_number().await, watcher.next_number().await],
        [1, 2]
    );
}

#[tokio::test]
async fn an_event_that_never_existed_delays_no_others_even_with_open_transactions() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("dashboard_updates").await;

    // This transaction writes rows but no events, so it can't write the missing id.
    let mut stranger = server.db().begin().await.unwrap();
    sqlx::query("insert into runbook_cache (url, etag, content) values ('u', 'e', 'c')")
        .execute(&mut *stranger)
        .await
        .unwrap();
    let undone = publish_uncommitted(server.db(), session, 1).await;
    publish(server.db(), session, [2]).await;
    undone.rollback().await.unwrap();
    assert_eq!(watcher.next_number().await, 2);
    stranger.rollback().await.unwrap();
}

#[tokio::test]
async fn a_stuck_transaction_is_skipped_and_its_event_sent_later() {
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe("dashboard_updates").await;

    let stuck = publish_uncommitted(server.db(), session, 1).await;
    publish(server.db(), session, [2]).await;
    let second = watcher.next().await;
    assert_eq!(second["data"]["n"], 2);
    stuck.commit().await.unwrap();
    let first = watcher.next().await;
    assert_eq!(first["data"]["n"], 1);
    assert!(
        first["id"].as_i64() > second["id"].as_i64(),
        "it can be asked for after what was told before it"
    );
}

#[tokio::test]
async fn many_writers_at_once_lose_nothing() {
    const WRITERS: i64 = 8;
    const EACH: i64 = 40;
    let server = Server::start().await;
    let session = SessionId::generate();
    let mut watcher = Watcher::connect(&server, "ada").await;
    watcher.subscribe(&format!("session_{session}")).await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let db = server.db().clone();
        writers.spawn(async move {
            for n in 0..EACH {
                let tx = publish_uncommitted(&db, session, writer * EACH + n).await;
                match n % 5 {
                    0 => tx.rollback().await.unwrap(),
                    _ => tx.commit().await.unwrap(),
                }
                wake(&db).await;
            }
        });
    }
    let mut received = Vec::new();
    let mut ids = Vec::new();
    while received.len() < usize::try_from(WRITERS * EACH * 4 / 5).unwrap() {
        let message = watcher.next().await;
        received.push(message["data"]["n"].as_i64().unwrap());
        ids.push(message["id"].as_i64().unwrap());
    }
    assert!(ids.is_sorted(), "in the order of ids");
    received.sort_unstable();
    assert_eq!(
        received,
        (0..WRITERS * EACH)
            .filter(|n| n % EACH % 5 != 0)
            .collect::<Vec<_>>()
    );
    writers.join_all().await;
}
