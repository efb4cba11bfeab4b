//! The primary is lost, and a fleet continues on a point-in-time restore. Ended sessions stay ended, running sessions
//! are resumed, and accepted sessions exist.
//!
//! Needs `pg_basebackup` in the server's folder. If a package has none, it prints a notice and is skipped.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "says why it was skipped")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use sqlx::PgPool;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::postgres::{Cluster, Installation, Stop};
use tarsy_testing::{TestDb, wait};
use tarsy_tests::{Alert, Fleet, Ingest, Rows, SOON, scene};
use url::Url;
use uuid::Uuid;

/// Number of alerts that end before the base backup, and of those that end between it and the target.
const ENDED: usize = 3;

/// Texts in alerts that the model reacts to.
const IN_A_CALL: &str = "is in a tool call at the target";
const IN_A_QUESTION: &str = "is in a question at the target";
const AFTER: &str = "begins after the target";

/// Tables of sessions, stages, model calls and tool calls.
const TABLES: [&str; 4] = [
    "alert_sessions",
    "stage_executions",
    "llm_interactions",
    "mcp_interactions",
];

/// A model. Two stages stop at the place that their alerts name. Once `restored` is set, the held model call is
/// answered.
fn model(restored: &Arc<AtomicBool>) -> impl Fn(&SeenRequest) -> Behaviour + Send + Sync + 'static {
    let restored = Arc::clone(restored);
    move |request| {
        let restart = |input: &str| {
            let action = "Thought: restart\nAction: ledger.restart_service\nAction Input: ";
            Behaviour::text(format!("{action}{input}"))
        };
        let collects =
            |what: &str| request.contains("You are the collector.") && request.contains(what);
        match request.assistant_turns() {
            0 if collects(IN_A_CALL) => restart(r#"{"service": "in-a-call", "hang": true}"#),
            1 if collects(IN_A_CALL) => {
                Behaviour::text("Final Answer: nobody knows whether it was restarted")
            }
            1 if collects(IN_A_QUESTION) && !restored.load(Ordering::SeqCst) => Behaviour::Hang,
            1 if collects(IN_A_QUESTION) => restart(r#"{"service": "in-a-question"}"#),
            1 if collects(AFTER) => restart(r#"{"service": "after"}"#),
            _ => scene::play(request),
        }
    }
}

/// Folders of the primary, its archive, the base backup and the restored server.
struct Site {
    installation: Installation,
    folder: tempfile::TempDir,
}

impl Site {
    fn new(installation: Installation) -> Self {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        // As root, the server runs under another account.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Self {
            installation,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a server that archives its write-ahead log.
    async fn primary(&self) -> Cluster {
        let mut primary =
            Cluster::start(&self.installation, &self.path("primary"), &|_| ()).unwrap();
        let account = fs::metadata(primary.folder()).unwrap();
        for name in ["archive", "restored"] {
            fs::create_dir(self.path(name)).unwrap();
            chown(self.path(name), Some(account.uid()), Some(account.gid())).unwrap();
        }
        let archive = self.path("archive").display().to_string();
        let pool = PgPool::connect(&primary.url("postgres")).await.unwrap();
        for setting in [
            "archive_mode = on".to_owned(),
            format!(
                "archive_command = 'test ! -f {archive}/%f && cp %p {archive}/%f.new && mv {archive}/%f.new {archive}/%f'"
            ),
        ] {
            let set = sqlx::AssertSqlSafe(format!("alter system set {setting}"));
            sqlx::query(set).execute(&pool).await.unwrap();
        }
        pool.close().await;
        tokio::task::block_in_place(|| primary.restart(Stop::Fast)).unwrap();
        primary
    }

    fn base_backup(&self, primary: &Cluster) {
        let restored = self.path("restored");
        let data = restored.join("data");
        self.run("pg_basebackup", |command| {
            command
                .args(["--checkpoint=fast", "--wal-method=stream", "--pgdata"])
                .arg(&data)
                .args(["--dbname", &primary.url("postgres")])
        });
        self.run("pg_verifybackup", |command| command.arg(&data));
        fs::copy(primary.folder().join("password"), restored.join("password")).unwrap();
    }

    fn run(&self, program: &str, arguments: impl FnOnce(&mut Command) -> &mut Command) {
        let mut command = self.installation.command(program, &self.path("restored"));
        let output = arguments(&mut command).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {errors}");
    }

    /// Starts a server from base backup and archive, restored to the time `target`.
    async fn restore(&self, target: &str) -> Cluster {
        let data = self.path("restored/data");
        let archive = self.path("archive").display().to_string();
        let settings = format!(
            "archive_mode = off\nrestore_command = 'cp {archive}/%f %p'\nrecovery_target_time = '{target}'\n\
             recovery_target_action = promote\n"
        );
        append(&data.join("postgresql.auto.conf"), &settings);
        fs::write(data.join("recovery.signal"), "").unwrap();
        let restored = tokio::task::block_in_place(|| {
            Cluster::start(&self.installation, &self.path("restored"), &|_| ())
        })
        .unwrap();
        let pool = PgPool::connect(&restored.url("postgres")).await.unwrap();
        wait::until("the end of recovery", SOON, async || {
            let recovering: bool = sqlx::query_scalar("select pg_is_in_recovery()")
                .fetch_one(&pool)
                .await
                .unwrap();
            !recovering
        })
        .await;
        pool.close().await;
        restored
    }
}

fn append(file: &Path, text: &str) {
    let before = fs::read_to_string(file).unwrap();
    fs::write(file, before + text).unwrap();
}

fn installation() -> Option<Installation> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let installation = Installation::find_or_install(&tools, &|_| ()).unwrap();
    match installation.has("pg_basebackup") {
        true => Some(installation),
        false => {
            eprintln!("skipped: this PostgreSQL comes without pg_basebackup");
            None
        }
    }
}

/// Returns all rows of [`TABLES`], as text.
async fn snapshot(pool: &PgPool) -> Vec<String> {
    let mut rows = Vec::new();
    for table in TABLES {
        let query = format!("select '{table} ' || row_to_json(t)::text from {table} t order by 1");
        let found: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_all(pool)
            .await
            .unwrap();
        rows.extend(found);
    }
    rows
}

/// Posts this many alerts and waits for their ends.
async fn end_some(fleet: &Fleet, ingest: &Ingest, alert_type: &'static str) -> Vec<(Alert, Uuid)> {
    let mut ended = Vec::new();
    for _ in 0..ENDED {
        let alert = Alert::new(alert_type);
        let session = fleet.post(ingest, &alert).await;
        ended.push((alert, session));
    }
    for (_, session) in &ended {
        let session = fleet.rows.ended(*session, SOON).await;
        assert_eq!(session.outcome.as_deref(), Some("completed"), "{session:?}");
    }
    ended
}

/// Returns the number of tool calls with this word in their arguments.
fn calls(fleet: &Fleet, word: &str) -> usize {
    let ledger = fs::read_to_string(fleet.ledger.path()).unwrap_or_default();
    ledger.lines().filter(|line| line.contains(word)).count()
}

/// Sessions in progress at the target: in a tool call, in a model call, and not begun.
struct UnderWay {
    in_a_call: Uuid,
    in_a_question: Uuid,
    not_begun: Uuid,
}

impl UnderWay {
    /// Posts their alerts, and waits until each session has reached its place.
    async fn post(fleet: &Fleet, ingest: &Ingest) -> Self {
        let post = async |alert_type: &str, message: &str| {
            let alert = json!({
                "alert_type": alert_type, "runbook": "local:checkout.md", "data": {"message": message},
            });
            fleet.submit_body(ingest, &alert).await
        };
        // Posted one after the other, because the tool server serves one call at a time.
        let in_a_question = post("CheckoutDown", IN_A_QUESTION).await;
        wait::until("the question", SOON, async || {
            fleet
                .llm
                .requests()
                .iter()
                .any(|request| request.contains(IN_A_QUESTION) && request.assistant_turns() == 1)
        })
        .await;
        let in_a_call = post("CheckoutDown", IN_A_CALL).await;
        wait::until("the tool call", SOON, async || {
            calls(fleet, "in-a-call") == 1
        })
        .await;
        let under_way = Self {
            in_a_call,
            in_a_question,
            not_begun: post("Later", AFTER).await,
        };
        wait::until("the stage that nobody begins", SOON, async || {
            !fleet.rows.stages(under_way.not_begun).await.is_empty()
        })
        .await;
        under_way
    }
}

/// Waits until the archive contains everything that was written.
async fn archive(primary: &PgPool) {
    let last: String = sqlx::query_scalar("select pg_walfile_name(pg_switch_wal())")
        .fetch_one(primary)
        .await
        .unwrap();
    wait::until("the last segment in the archive", SOON, async || {
        let query = "select coalesce(last_archived_wal >= $1, false) from pg_stat_archiver";
        let archived: bool = sqlx::query_scalar(query)
            .bind(&last)
            .fetch_one(primary)
            .await
            .unwrap();
        archived
    })
    .await;
}

/// Returns the recorded errors of a session's `restart_service` calls.
async fn restarts(rows: &Rows, session: Uuid) -> Vec<Option<String>> {
    let query = "select error_message from mcp_interactions
                 where session_id = $1 and tool_name = 'restart_service' order by sequence";
    sqlx::query_scalar(query)
        .bind(session)
        .fetch_all(rows.pool())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_fleet_continues_from_the_target() {
    let Some(installation) = installation() else {
        return;
    };
    let site = Site::new(installation);
    let primary = site.primary().await;
    let db = TestDb::create_on(&Url::parse(&primary.url("postgres")).unwrap())
        .await
        .unwrap();
    let name = db.name().to_owned();
    let restored = Arc::new(AtomicBool::new(false));
    let mut fleet = Fleet::on(db, model(&restored)).await;

    let (mut ended, under_way, lost, at_target);
    {
        let (ingest, _chain, _stage) = (
            fleet.ingest().await,
            fleet.chain_worker(),
            fleet.stage_worker(),
        );
        ended = end_some(&fleet, &ingest, "CheckoutDown").await;
        site.base_backup(&primary);
        ended.extend(end_some(&fleet, &ingest, "CheckoutDown").await);
        under_way = UnderWay::post(&fleet, &ingest).await;
        at_target = snapshot(fleet.rows.pool()).await;
        let target: String = sqlx::query_scalar("select clock_timestamp()::text")
            .fetch_one(fleet.rows.pool())
            .await
            .unwrap();
        fs::write(site.path("target"), target).unwrap();

        // Alerts accepted and done after the target, which the restored fleet does not know. They need another worker,
        // because all tools of the first one wait for the hanging call.
        lost = end_some(&fleet, &ingest, "ReportOnly").await;
        let _later = fleet
            .program("stage-worker")
            .env("TARSY_STAGE_POOLS", "later")
            .start()
            .unwrap();
        fleet.rows.ended(under_way.not_begun, SOON).await;
        assert_eq!(calls(&fleet, "after"), 1);
        archive(fleet.rows.pool()).await;
        // Every process of the fleet ends here, and the primary with its disk.
    }
    tokio::task::block_in_place(|| primary.remove()).unwrap();

    let target = fs::read_to_string(site.path("target")).unwrap();
    let server = site.restore(&target).await;
    let url = server.url(&name);
    fleet.rows = Rows::new(PgPool::connect(&url).await.unwrap());
    let fleet = fleet.with("DATABASE_URL", url);
    assert_eq!(snapshot(fleet.rows.pool()).await, at_target);
    let asked = fleet.llm.count();

    restored.store(true, Ordering::SeqCst);
    let (ingest, _chain, _stage, _later) = (
        fleet.ingest().await,
        fleet.chain_worker(),
        fleet.stage_worker(),
        fleet
            .program("stage-worker")
            .env("TARSY_STAGE_POOLS", "later")
            .start()
            .unwrap(),
    );
    for id in [
        under_way.in_a_call,
        under_way.in_a_question,
        under_way.not_begun,
    ] {
        let session = fleet.rows.ended(id, SOON).await;
        assert_eq!(session.outcome.as_deref(), Some("completed"), "{session:?}");
        assert_eq!(session.final_analysis.as_deref(), Some(scene::ANALYSIS));
    }

    // This call began before the target and has no outcome there. It is not repeated, and the model is informed.
    assert_eq!(calls(&fleet, "in-a-call"), 1, "the call is not repeated");
    let recorded = restarts(&fleet.rows, under_way.in_a_call).await;
    let [Some(error)] = &recorded[..] else {
        panic!("{recorded:?}")
    };
    assert!(error.starts_with("outcome unknown"), "{error}");
    let is_in_prompt = fleet
        .llm
        .requests()
        .iter()
        .skip(asked)
        .any(|request| request.contains(IN_A_CALL) && request.contains("outcome unknown"));
    assert!(is_in_prompt, "the model is told");
    // A model call is repeated. The consequence of its first answer happens once.
    assert_eq!(calls(&fleet, "in-a-question"), 1);
    // This call began after the target. The restored fleet does not know it, so it is made again.
    assert_eq!(calls(&fleet, "after"), 2);

    // Ended sessions are unchanged, and posting the alerts again finds them.
    let was: Vec<&String> = at_target.iter().collect();
    let is = snapshot(fleet.rows.pool()).await;
    for (alert, session) in &ended {
        assert_eq!(fleet.post(&ingest, alert).await, *session);
        let of = |rows: &[&String]| -> Vec<String> {
            let id = session.to_string();
            let own = rows.iter().filter(|row| row.contains(&id));
            own.map(|row| (*row).clone()).collect()
        };
        assert_eq!(of(&is.iter().collect::<Vec<_>>()), of(&was));
    }
    // Sessions after the target are gone; posting the alerts again creates new ones.
    for (alert, session) in &lost {
        let again = fleet.post(&ingest, alert).await;
        assert_ne!(again, *session);
        let session = fleet.rows.ended(again, SOON).await;
        assert_eq!(session.outcome.as_deref(), Some("completed"), "{session:?}");
    }
    fleet.assert_sound().await;
}
