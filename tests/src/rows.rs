//! Reads rows of the database.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_testing::wait;
use uuid::Uuid;

/// Reads a fleet's rows.
#[derive(Debug, Clone)]
pub struct Rows(PgPool);

/// Current state of a session.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Session {
    /// As in `docs/STATES.md`.
    pub status: String,
    /// Whether all, some or none of its stages completed.
    pub outcome: Option<String>,
    /// The answer that an engineer reads.
    pub final_analysis: Option<String>,
    /// Why there is no answer.
    pub error_message: Option<String>,
}

/// One attempt of a stage.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Stage {
    /// Id of the attempt.
    pub execution_id: Uuid,
    /// Index in the chain.
    pub stage_index: i32,
    /// Name in the chain.
    pub stage_name: String,
    /// As in `docs/STATES.md`.
    pub status: String,
    /// Worker that began it last. It has a row in `workers` while its process lives.
    pub claim_owner: Option<Uuid>,
    /// Epoch of the claim under which it last began.
    pub claim_epoch: Option<i64>,
    /// Number of workers that had died while running it, at its last begin.
    pub crash_count: i32,
    /// Class of its error, for programs.
    pub error_class: Option<String>,
    /// Text of its error, for people.
    pub error_message: Option<String>,
}

/// Counters of a job after a change of its attempts, crashes or snoozes.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Counted {
    /// Kind of the job.
    pub kind: String,
    /// Failed attempts.
    pub attempts: i32,
    /// Workers that crashed while running it.
    pub crashes: i32,
    /// Snoozes.
    pub snoozes: i32,
}

impl Rows {
    /// Creates a reader of this pool's database.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self(pool)
    }

    /// Returns the pool.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.0
    }

    /// Returns the number that a query selects.
    pub async fn count(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(&self.0).await.unwrap()
    }

    /// Reads a session.
    pub async fn session(&self, id: Uuid) -> Session {
        let query = "select status::text, outcome::text, final_analysis, error_message
                     from alert_sessions where session_id = $1";
        sqlx::query_as(query)
            .bind(id)
            .fetch_one(&self.0)
            .await
            .unwrap()
    }

    /// Reads the attempts of a session's stages, by stage and attempt.
    pub async fn stages(&self, id: Uuid) -> Vec<Stage> {
        let query =
            "select execution_id, stage_index, stage_name, status::text, claim_owner, claim_epoch, crash_count,
                            error_class, error_message
                     from stage_executions where session_id = $1 order by stage_index, attempt";
        sqlx::query_as(query)
            .bind(id)
            .fetch_all(&self.0)
            .await
            .unwrap()
    }

    /// Waits until the session has ended, and returns it.
    ///
    /// # Panics
    ///
    /// When it has not ended within `timeout`. The message has the state of the session, its stages and all jobs.
    pub async fn ended(&self, id: Uuid, timeout: Duration) -> Session {
        let ended = wait::up_to(timeout, async || {
            let session = self.session(id).await;
            matches!(&*session.status, "completed" | "failed" | "cancelled").then_some(session)
        });
        match ended.await {
            Some(session) => session,
            None => panic!(
                "session {id} has not ended within {timeout:?}: {:?}, {:#?}, jobs {:?}",
                self.session(id).await,
                self.stages(id).await,
                self.jobs().await
            ),
        }
    }

    /// Waits until all sessions have ended.
    ///
    /// # Panics
    ///
    /// When some have not ended within `timeout`.
    pub async fn all_ended(&self, timeout: Duration) {
        wait::until("all sessions to end", timeout, async || {
            let live =
                "select count(*) from alert_sessions where status in ('pending', 'in_progress')";
            // The server may be unavailable for a moment.
            sqlx::query_scalar::<_, i64>(live)
                .fetch_one(&self.0)
                .await
                .is_ok_and(|live| live == 0)
        })
        .await;
    }

    /// Waits until a stage of the session runs. Returns the id of the process that runs it.
    ///
    /// # Panics
    ///
    /// When no stage runs within `timeout`.
    pub async fn holder(&self, id: Uuid, timeout: Duration) -> u32 {
        wait::until("a worker to run the stage", timeout, async || {
            let query =
                "select w.pid from stage_executions e join workers w on w.id = e.claim_owner
                         where e.session_id = $1 and e.status = 'active'";
            let pid = sqlx::query_scalar::<_, i32>(query).bind(id);
            pid.fetch_optional(&self.0).await.unwrap()
        })
        .await
        .unsigned_abs()
    }

    /// Waits until a process other than `loser` has begun the session's first stage, which may have ended since.
    /// Returns the id of that process.
    ///
    /// # Panics
    ///
    /// When no other process has begun it within `timeout`.
    pub async fn taken_over(&self, id: Uuid, loser: u32, timeout: Duration) -> u32 {
        wait::until(
            "another worker to take the stage over",
            timeout,
            async || {
                let query =
                    "select w.pid from stage_executions e join workers w on w.id = e.claim_owner
                         where e.session_id = $1 and e.stage_index = 0 and w.pid <> $2";
                let pid = sqlx::query_scalar::<_, i32>(query).bind(id);
                let pid = pid.bind(loser.cast_signed());
                pid.fetch_optional(&self.0).await.unwrap()
            },
        )
        .await
        .unsigned_abs()
    }

    /// Returns all jobs as text, for messages.
    pub async fn jobs(&self) -> Vec<String> {
        let query = "select row_to_json(j)::text from jobs j";
        sqlx::query_scalar(query).fetch_all(&self.0).await.unwrap()
    }

    /// Records every change of a job's attempts, crashes or snoozes from now on. Jobs are deleted when they
    /// are done, and their counters with them.
    pub async fn watch_counts(&self) {
        let watch = "create table counted (kind text, attempts int, crashes int, snoozes int);
            create function note_counts() returns trigger language plpgsql as $$ begin
                insert into counted values (new.kind, new.attempts, new.crashes, new.snoozes);
                return new;
            end $$;
            create trigger note_counts after update on jobs for each row
                when ((new.attempts, new.crashes, new.snoozes) <> (old.attempts, old.crashes, old.snoozes))
                execute function note_counts();";
        sqlx::raw_sql(watch).execute(&self.0).await.unwrap();
    }

    /// Returns the changes that [`Rows::watch_counts`] recorded.
    pub async fn counted(&self) -> Vec<Counted> {
        sqlx::query_as("select kind, attempts, crashes, snoozes from counted")
            .fetch_all(&self.0)
            .await
            .unwrap()
    }
}
