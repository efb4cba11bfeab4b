//! Kills a process right before and after every write outside of a transaction. After a retry, the write exists once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod credentials;
mod outside;
mod watcher;

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, Ingest, SOON, crash_points, scene};
use uuid::Uuid;

use credentials::{browsers, keys, tickets};
use outside::Outside;
use watcher::Watcher;

/// Prefix of these points. The function's name follows.
const LONE: &str = "lone.";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A fleet without workers, with an API that is never killed.
struct Scene {
    fleet: Fleet,
    api: Ingest,
    outside: Outside,
    port: u16,
    http: Client,
    killed_at: BTreeSet<String>,
}

struct Kill {
    point: String,
    /// Whether the kill is after the write.
    is_after: bool,
}

impl Kill {
    fn both(write: &str) -> [Self; 2] {
        ["before", "after"].map(|when| Self {
            point: format!("{LONE}{write}.{when}_commit"),
            is_after: when == "after",
        })
    }
}

impl Scene {
    async fn new() -> Self {
        let outside = Outside::default();
        let port = outside.start().await;
        let config = concat!(env!("CARGO_MANIFEST_DIR"), "/config/lone.yaml");
        let fleet = Fleet::new(scene::play)
            .await
            .with("AGENT_CONFIG_FILE", config)
            .with("TARSY_TEST_OUTSIDE", port.to_string())
            .with("TARSY_TEST_GITHUB_TOKEN", "not-a-secret")
            .with("TARSY_TEST_WHSEC", SECRET);
        Self {
            api: fleet.ingest().await,
            fleet,
            outside,
            port,
            http: Client::new(),
            killed_at: BTreeSet::new(),
        }
    }

    /// Creates a scene with access control, and the key of a viewer.
    async fn guarded() -> (Self, String) {
        let mut scene = Self::new().await;
        let made = tarsy(
            "keys create screen --role viewer --reason test",
            &[("DATABASE_URL", scene.fleet.database_url())],
        )
        .await;
        let key = made.out.trim().to_owned();
        scene.fleet = scene.fleet.with("TARSY_AUTH", "on");
        scene.api = scene.fleet.ingest().await;
        (scene, key)
    }

    /// Starts an API that is killed at the point.
    async fn doomed_api(&self, kill: &Kill) -> Ingest {
        let program = self.fleet.program("ingest-api");
        let program = program.env("TARSY_CRASH_AT", &kill.point);
        self.fleet.ingest_with(program).await
    }

    async fn died(&mut self, victim: &Process, kill: &Kill) {
        let status = victim.ended(SOON).await;
        assert_eq!(status.signal(), Some(9), "{}: {status}", kill.point);
        self.killed_at.insert(kill.point.clone());
    }

    /// Sends a request to an API that dies, then to one that does not. Returns the latter's response.
    async fn ask(
        &mut self,
        kill: &Kill,
        request: impl Fn(&Client, &str) -> RequestBuilder,
    ) -> Value {
        let doomed = self.doomed_api(kill).await;
        let answer = request(&self.http, &doomed.url).send().await;
        assert!(
            answer.is_err(),
            "{}: nobody is told: {answer:?}",
            kill.point
        );
        self.died(&doomed.process, kill).await;
        answered(request(&self.http, &self.api.url)).await
    }

    async fn count(&self, query: &'static str, id: &str) -> i64 {
        let counted = sqlx::query_scalar(query)
            .bind(id)
            .fetch_one(self.fleet.rows.pool());
        counted.await.unwrap()
    }
}

async fn answered(request: RequestBuilder) -> Value {
    let answer = request.send().await.unwrap();
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap()
}

fn home_made(id: &str, state: &str) -> impl Fn(&Client, &str) -> RequestBuilder {
    let body = json!({"id": id, "state": state});
    move |http, url| http.post(format!("{url}/webhooks/home-made")).json(&body)
}

fn alertmanager(id: &str, status: &str) -> impl Fn(&Client, &str) -> RequestBuilder {
    let ended = match status {
        "resolved" => "2026-11-20T11:00:00Z",
        _ => "0001-01-01T00:00:00Z",
    };
    let body = json!({
        "version": "4", "groupKey": id, "truncatedAlerts": 0, "status": status, "receiver": "tarsy", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://am",
        "alerts": [{"status": status, "labels": {"alertname": "A", "id": id}, "annotations": {}, "fingerprint": id,
                    "startsAt": "2026-11-20T10:00:00Z", "endsAt": ended, "generatorURL": ""}],
    });
    move |http, url| {
        http.post(format!("{url}/webhooks/alertmanager"))
            .json(&body)
    }
}

/// Counts the sessions of an alert id, and those that are resolved or keep a request.
const OF_ID: &str =
    "select count(*) from alert_sessions where alert_data::text like '%' || $1 || '%'";
const RESOLVED: &str = "select count(*) from alert_sessions
    where alert_data::text like '%' || $1 || '%' and resolved_at_us is not null";
const KEPT: &str = "select count(*) from webhook_requests join alert_sessions using (session_id)
    where alert_data::text like '%' || $1 || '%'";

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_next_to_a_lone_write_loses_and_doubles_nothing() {
    let mut scene = Scene::new().await;
    webhooks(&mut scene).await;
    rejections(&mut scene).await;
    events(&mut scene).await;
    changes(&mut scene).await;
    chains(&mut scene).await;
    let mut killed_at = scene.killed_at;
    let (mut scene, key) = Scene::guarded().await;
    keys(&mut scene, &key).await;
    tickets(&mut scene, &key).await;
    browsers(&mut scene, &key).await;
    killed_at.append(&mut scene.killed_at);
    let points = crash_points().into_iter().map(|point| point.name);
    let points: BTreeSet<_> = points.filter(|name| name.starts_with(LONE)).collect();
    assert_eq!(points, killed_at, "points in the sources, and those here");
}

/// A sender without a response sends again.
async fn webhooks(scene: &mut Scene) {
    for kill in Kill::both("keep_request") {
        let id = Uuid::now_v7().to_string();
        scene.ask(&kill, home_made(&id, "firing")).await;
        assert_eq!(scene.count(OF_ID, &id).await, 1, "{}", kill.point);
        assert_eq!(scene.count(KEPT, &id).await, 1, "{}", kill.point);
    }
    for kill in Kill::both("mark_resolved") {
        let id = Uuid::now_v7().to_string();
        answered(home_made(&id, "firing")(&scene.http, &scene.api.url)).await;
        scene.ask(&kill, home_made(&id, "resolved")).await;
        assert_eq!(scene.count(OF_ID, &id).await, 1, "{}", kill.point);
        assert_eq!(scene.count(RESOLVED, &id).await, 1, "{}", kill.point);
    }
    for kill in Kill::both("resolve_sessions") {
        let id = Uuid::now_v7().simple().to_string();
        answered(alertmanager(&id, "firing")(&scene.http, &scene.api.url)).await;
        scene.ask(&kill, alertmanager(&id, "resolved")).await;
        assert_eq!(scene.count(OF_ID, &id).await, 1, "{}", kill.point);
        assert_eq!(scene.count(RESOLVED, &id).await, 1, "{}", kill.point);
    }
}

/// A change that is sent again is stored once. A resumed stage gets the same changes in its prompt again.
async fn changes(scene: &mut Scene) {
    const RECORDED: &str = "select count(*) from changes where title = $1";
    /// Whether the first question of a session contains a change.
    const HAS_CHANGE: &str = "select new_messages::text like '%' || $2 || '%' from llm_interactions
        where session_id = $1 and sequence = 0";
    let change = |title: &str| {
        let body = json!({"title": title, "service": "ledger"});
        move |http: &Client, url: &str| http.post(format!("{url}/webhooks/deploys")).json(&body)
    };
    for kill in Kill::both("record_changes") {
        let title = Uuid::now_v7().to_string();
        scene.ask(&kill, change(&title)).await;
        assert_eq!(scene.count(RECORDED, &title).await, 1, "{}", kill.point);
    }
    // All earlier sessions end, so that none of their stages can reach the point first.
    let workers = [scene.fleet.chain_worker(), scene.fleet.stage_worker()];
    scene.fleet.rows.all_ended(SOON).await;
    end(workers).await;
    for kill in Kill::both("keep_told_changes") {
        let (before, after) = (Uuid::now_v7().to_string(), Uuid::now_v7().to_string());
        answered(change(&before)(&scene.http, &scene.api.url)).await;
        let chain = scene.fleet.chain_worker();
        let program = scene.fleet.program("stage-worker");
        let doomed = program.env("TARSY_CRASH_AT", &kill.point).start().unwrap();
        let data = json!({"service": "ledger", "key": Uuid::now_v7()});
        let alert = json!({"alert_type": "ReportOnly", "data": data});
        let session = scene.fleet.submit_body(&scene.api, &alert).await;
        scene.died(&doomed, &kill).await;

        answered(change(&after)(&scene.http, &scene.api.url)).await;
        let stage = scene.fleet.stage_worker();
        let ended = scene.fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.status, "completed", "{}: {ended:?}", kill.point);
        let has_change = async |title: &str| -> bool {
            let has_change = sqlx::query_scalar(HAS_CHANGE).bind(session).bind(title);
            has_change.fetch_one(scene.fleet.rows.pool()).await.unwrap()
        };
        assert!(has_change(&before).await, "{}", kill.point);
        let is_new = has_change(&after).await;
        assert_eq!(
            is_new, !kill.is_after,
            "{}: what was kept is told",
            kill.point
        );
        end([chain, stage]).await;
    }
}

/// Ends processes by SIGTERM.
async fn end(processes: impl IntoIterator<Item = Process>) {
    for process in processes {
        process.terminate();
        process.ended(SOON).await;
    }
}

/// The response to a rejected alert is sent before the alert is stored.
async fn rejections(scene: &mut Scene) {
    const NOTED: &str = "select count(*) from rejected_alerts where body like '%' || $1 || '%'";
    for kill in Kill::both("keep_rejections") {
        let id = Uuid::now_v7().to_string();
        let doomed = scene.doomed_api(&kill).await;
        let alert = json!({"alert_type": id, "runbook": "local:a", "data": {}});
        let refused = scene.http.post(format!("{}/alerts", doomed.url));
        let mut stuck = scene.fleet.rows.pool().begin().await.unwrap();
        sqlx::query("lock table rejected_alerts in exclusive mode")
            .execute(&mut *stuck)
            .await
            .unwrap();
        let answer = refused.json(&alert).send().await;
        // A kill before the write may come before the response.
        if kill.is_after || answer.is_ok() {
            assert_eq!(answer.unwrap().status(), 422, "{}", kill.point);
        }
        stuck.rollback().await.unwrap();
        scene.died(&doomed.process, &kill).await;
        let noted = scene.count(NOTED, &id).await;
        assert_eq!(noted, i64::from(kill.is_after), "{}", kill.point);
    }
}

/// An event committed after later events were sent gets a new id, which is higher than theirs.
async fn events(scene: &mut Scene) {
    const PUBLISH: &str = "insert into events (kind, payload) values ('test', '{}') returning id";
    // Otherwise, the other API would do it instead.
    scene.api.process.freeze();
    for kill in Kill::both("renumber_events") {
        let doomed = scene.doomed_api(&kill).await;
        let mut watcher = Watcher::connect(&doomed.url).await;
        let pool = scene.fleet.rows.pool().clone();
        let mut stuck = pool.begin().await.unwrap();
        let late: i64 = sqlx::query_scalar(PUBLISH)
            .fetch_one(&mut *stuck)
            .await
            .unwrap();
        let ahead: i64 = sqlx::query_scalar(PUBLISH).fetch_one(&pool).await.unwrap();
        assert_eq!(watcher.next_id().await, ahead, "{}", kill.point);
        stuck.commit().await.unwrap();
        scene.died(&doomed.process, &kill).await;
        let ids: Vec<i64> = sqlx::query_scalar(
            "select id from events where id >= $1 and kind = 'test' order by id",
        )
        .bind(late)
        .fetch_all(&pool)
        .await
        .unwrap();
        assert_eq!(ids.len(), 2, "{}: both are there, once", kill.point);
        assert!(ids.contains(&ahead), "{}", kill.point);
        assert_eq!(!ids.contains(&late), kill.is_after, "{}", kill.point);
    }
    scene.api.process.resume();
}

/// Side effects of a chain: cached runbooks, notifications.
async fn chains(scene: &mut Scene) {
    let _stage = scene.fleet.stage_worker();
    let kills = Kill::both("save_cached_runbook").into_iter();
    let kills = kills.chain(Kill::both("note_attempt"));
    for kill in kills.chain(Kill::both("note_rate_limit")) {
        let is_limit = kill.point.contains("note_rate_limit");
        scene.outside.limit(is_limit);
        let runbook = format!(
            "http://localhost:{}/ops/runbooks/blob/main/{}.md",
            scene.port,
            Uuid::now_v7()
        );
        let alert = json!({"alert_type": "ReportOnly", "runbook": runbook, "data": {"key": Uuid::now_v7()}});
        let program = scene.fleet.program("chain-worker");
        let doomed = program.env("TARSY_CRASH_AT", &kill.point).start().unwrap();
        let session = scene.fleet.submit_body(&scene.api, &alert).await;
        scene.died(&doomed, &kill).await;

        let chain = scene.fleet.chain_worker();
        let ended = scene.fleet.rows.ended(session, SOON).await;
        assert_eq!(ended.status, "completed", "{}: {ended:?}", kill.point);
        wait::until("every job to be done", SOON, async || {
            scene.fleet.rows.count("select count(*) from jobs").await == 0
        })
        .await;
        chain.terminate();
        chain.ended(SOON).await;
        scene.fleet.assert_sound_after(&kill.point).await;
        let kept = scene.count(
            "select count(*) from runbook_cache where url like '%' || $1 || '%'",
            &runbook[runbook.len() - 39..],
        );
        assert_eq!(kept.await, 1, "{}: {runbook}", kill.point);
        let (delivery, attempts): (Uuid, i32) = sqlx::query_as(
            "select delivery_id, attempts from webhook_deliveries where session_id = $1 and state = 'delivered'",
        )
        .bind(session)
        .fetch_one(scene.fleet.rows.pool())
        .await
        .unwrap();
        assert_eq!(attempts, 1, "{}", kill.point);
        // A notification is sent again only if its first attempt was not recorded, and under the same id.
        let unknown = kill.point.contains("note_attempt") && !kill.is_after;
        assert_eq!(
            scene.outside.times_received(&delivery.to_string()),
            1 + usize::from(unknown || is_limit),
            "{}",
            kill.point
        );
    }
}
