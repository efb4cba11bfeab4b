//! Two concurrent groupings in forced orders. The lock of incidents prevents the errors that could
//! occur without it.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_model::SessionId;
use tarsy_store::admin::set_incident_member;
use tarsy_testing::wait;

use super::{INCIDENTS, NONE, SESSIONS, end, group, member_ids, only_incident, session, shop};
use crate::server::Server;

const SOON: Duration = Duration::from_secs(30);

/// Waits until a statement of this connection, or of any, waits for another transaction.
async fn is_held_up(server: &Server, pid: Option<i32>) {
    let held = "select exists (select from pg_stat_activity
                               where datname = current_database() and coalesce(pid = $1, true) and wait_event_type = 'Lock')";
    wait::until("the second waits for the first", SOON, async || {
        let held = sqlx::query_scalar::<_, bool>(held).bind(pid);
        held.fetch_one(server.db()).await.unwrap()
    })
    .await;
}

async fn pid(conn: &mut PgConnection) -> i32 {
    let pid = sqlx::query_scalar("select pg_backend_pid()").fetch_one(conn);
    pid.await.unwrap()
}

#[tokio::test]
async fn who_groups_while_another_does_waits_and_then_sees_what_that_one_grouped() {
    let server = Server::start().await;
    let names = ["cart-config", "config-sync"];
    let first = session(&server, 900, &shop("cart-0")).await;
    let second = session(&server, 890, &shop("cart-1")).await;
    let third = session(
        &server,
        880,
        &json!({"cluster": "eu-1", "namespace": "bank"}),
    )
    .await;
    for id in [second, third] {
        end(&server, id, "supported", &names, 0.1).await;
    }
    // The second session shares one key with the first and another with the third. Without the
    // lock, each of two concurrent groupings would find only one of them.
    let mut by_target = server.db().begin().await.unwrap();
    tarsy_store::incidents::group_started_sessions(&mut by_target, 100, NONE)
        .await
        .unwrap();
    let mut by_cause = server.db().begin().await.unwrap();
    let other = pid(&mut by_cause).await;
    let (grouped, ()) = futures::join!(
        tarsy_store::incidents::group_ended_sessions(&mut by_cause, 100, NONE),
        async {
            is_held_up(&server, Some(other)).await;
            by_target.commit().await.unwrap();
        }
    );
    assert_eq!(grouped.unwrap(), 2);
    by_cause.commit().await.unwrap();
    assert_eq!(
        member_ids(&only_incident(&server).await),
        [first, second, third]
    );
}

#[tokio::test]
async fn a_session_that_is_being_taken_out_joins_nothing_meanwhile() {
    let server = Server::start().await;
    let first = session(&server, 1_400, &shop("cart-0")).await;
    let second = session(&server, 900, &shop("cart-1")).await;
    group(&server).await;
    let mut person = server.db().begin().await.unwrap();
    set_incident_member(&mut person, SessionId::from(second), "ada", false)
        .await
        .unwrap();
    // A neighbour of only the second session.
    let third = session(&server, 400, &shop("cart-2")).await;
    let mut worker = server.db().begin().await.unwrap();
    let other = pid(&mut worker).await;
    let (grouped, ()) = futures::join!(
        tarsy_store::incidents::group_started_sessions(&mut worker, 100, NONE),
        async {
            is_held_up(&server, Some(other)).await;
            person.commit().await.unwrap();
        }
    );
    grouped.unwrap();
    worker.commit().await.unwrap();
    for id in [first, third] {
        let of = server.get(&format!("{SESSIONS}/{id}")).await.body;
        assert_eq!(of["incident"], Value::Null, "{of}");
    }
}

#[tokio::test]
async fn an_incident_that_grows_while_it_is_read_is_shown_as_it_was() {
    let server = Server::start().await;
    let first = session(&server, 900, &shop("cart-0")).await;
    let second = session(&server, 890, &shop("cart-1")).await;
    group(&server).await;
    let before = only_incident(&server).await;
    let id = before["incident"]["incident_id"].as_str().unwrap();
    // The lead's data is read between the count of the members and their list.
    let mut held = server.db().begin().await.unwrap();
    sqlx::query("lock table session_care in access exclusive mode")
        .execute(&mut *held)
        .await
        .unwrap();
    let path = format!("{INCIDENTS}/{id}");
    let (found, third) = futures::join!(server.get(&path), async {
        is_held_up(&server, None).await;
        let third = session(&server, 880, &shop("cart-2")).await;
        group(&server).await;
        held.rollback().await.unwrap();
        third
    });
    assert_eq!(found.body["incident"]["members"], 2, "{found:?}");
    assert_eq!(member_ids(&found.body), [first, second]);
    let after = only_incident(&server).await;
    assert_eq!(after["incident"]["members"], 3);
    assert_eq!(member_ids(&after), [first, second, third]);
}
