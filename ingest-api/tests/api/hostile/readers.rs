//! All readers of a session: workers, API, exports, lists and sockets.

use serde_json::Value;
use sqlx::PgPool;
use tarsy_model::{ClaimRef, ExecutionId, IterationStrategy, Pool, SessionId};
use tarsy_queue::NewJob;
use tarsy_store::stages::{BeginStage, NewStage};
use tarsy_testing::wait;
use uuid::Uuid;

use crate::live::watcher::{PATIENCE, Watcher, wake};
use crate::server::Server;

const SESSIONS: &str = "/api/v1/history/sessions";

/// The readers of one service's sessions.
pub(super) struct Readers<'s> {
    server: &'s Server,
    watcher: Watcher,
}

impl<'s> Readers<'s> {
    pub(super) async fn start(server: &'s Server) -> Self {
        let mut watcher = Watcher::connect(server, "ada").await;
        watcher.subscribe("dashboard_updates").await;
        Self { server, watcher }
    }

    /// Checks that each of them reads this session, and with the same result.
    pub(super) async fn all_read(&mut self, session: &str, is_new: bool) {
        let kept: String = sqlx::query_scalar(
            "select alert_data::text from alert_sessions where session_id = $1::uuid",
        )
        .bind(session)
        .fetch_one(self.server.db())
        .await
        .unwrap();
        self.the_api_reads(session, &kept).await;
        self.workers_read(session, &kept).await;
        if is_new {
            wake(self.server.db()).await;
            while self.watcher.next().await["data"]["session_id"] != session {}
        }
    }

    async fn the_api_reads(&self, session: &str, kept: &str) {
        let text = async |path: String| {
            let answer = self
                .server
                .client
                .get(self.server.url(&path))
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 200, "{path}: {kept}");
            answer.text().await.unwrap()
        };
        let detail = text(format!("{SESSIONS}/{session}")).await;
        assert!(detail.contains(kept), "{detail}");
        serde_json::from_str::<Value>(&detail).unwrap();
        let file = text(format!("{SESSIONS}/{session}/export")).await;
        serde_json::from_str::<Value>(&file).unwrap();
        assert!(file.contains(kept), "{file}");
        text(format!("{SESSIONS}/{session}/export?format=csv")).await;
        text(format!("{SESSIONS}/{session}/export?format=md")).await;
        text(format!("{SESSIONS}/{session}/summary")).await;
        let list = text(format!("{SESSIONS}?page_size=1")).await;
        serde_json::from_str::<Value>(&list).unwrap();
    }

    async fn workers_read(&self, session: &str, kept: &str) {
        let session_id: SessionId = session.parse().unwrap();
        let db = self.server.db();
        let mut conn = db.acquire().await.unwrap();
        let chains = tarsy_store::chains::load_chains(&mut conn, &[session_id])
            .await
            .unwrap();
        assert_eq!(chains.len(), 1);
        let begun = begin(db, session_id).await;
        let begun = begun.first().expect("it begins");
        let read = begun.data.alert_data.as_object().unwrap();
        let members: std::collections::BTreeMap<String, Value> =
            serde_json::from_str(kept).unwrap();
        assert_eq!(read.len(), members.len(), "{kept}");
    }
}

/// Begins a stage of this session, as a worker does.
pub(super) async fn begin(
    db: &PgPool,
    session_id: SessionId,
) -> Vec<tarsy_store::stages::BegunStage> {
    let stages: i32 =
        sqlx::query_scalar("select count(*)::int from stage_executions where session_id = $1")
            .bind(session_id.as_uuid())
            .fetch_one(db)
            .await
            .unwrap();
    let stage = NewStage {
        execution_id: ExecutionId::generate(),
        session_id,
        stage_index: stages,
        stage_name: "look".to_owned(),
        agent: "KubernetesAgent".to_owned(),
        strategy: Some(IterationStrategy::React),
        llm_provider: None,
        pool: Pool::default().as_str().to_owned(),
        branch: tarsy_chain::Branch::SOLE,
        attempt: 1,
        round: 0,
        timeout_ms: 60_000,
    };
    let mut tx = db.begin().await.unwrap();
    tarsy_store::stages::start_stages(&mut tx, std::slice::from_ref(&stage))
        .await
        .unwrap();
    let job = NewJob::new(
        Pool::default().queue(),
        "stage",
        stage.execution_id.as_uuid(),
    );
    tarsy_queue::enqueue(&mut tx, &[job]).await.unwrap();
    let owner = Uuid::now_v7();
    let job_id: Uuid = sqlx::query_scalar(
        "update jobs set state = 'running', owner = $1, epoch = 1, expires_at = now() + interval '1 minute'
         where subject = $2 returning id",
    )
    .bind(owner)
    .bind(stage.execution_id.as_uuid())
    .fetch_one(&mut *tx)
    .await
    .unwrap();
    let begin = BeginStage {
        execution_id: stage.execution_id,
        claim: ClaimRef {
            job_id,
            owner,
            epoch: 1,
        },
        crashes: 0,
    };
    let begun = tarsy_store::stages::begin_stages(&mut tx, &[begin])
        .await
        .unwrap();
    tx.commit().await.unwrap();
    begun
}

/// Waits until the list has this many sessions.
pub(super) async fn listed(server: &Server, sessions: i64) {
    wait::until("the list", PATIENCE, async || {
        let list = server.get(SESSIONS).await;
        assert_eq!(list.status, 200, "{list:?}");
        list.body["pagination"]["total_items"] == sessions
    })
    .await;
}
