//! Reads rows of the database.

use std::time::Duration;

use sqlx::PgPool;
use tarsy_testing::wait;
use uuid::Uuid;

/// Reads a fleet's rows.
#[derive(Debug, Clone)]
pub struct Rows(PgPool);

/// A session as it ended, or stands.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Session {
    /// As in `docs/STATES.md`.
    pub status: String,
    /// How many stages made it.
    pub outcome: Option<String>,
    /// What an engineer reads.
    pub final_analysis: Option<String>,
    /// Why there is none.
    pub error_message: Option<String>,
}

/// One attempt of a stage.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Stage {
    /// Which attempt.
    pub execution_id: Uuid,
    /// Place in the chain.
    pub stage_index: i32,
    /// Name in the chain.
    pub stage_name: String,
    /// As in `docs/STATES.md`.
    pub status: String,
    /// Who began it last; a row of `workers` while that process lives.
    pub claim_owner: Option<Uuid>,
    /// The fence of its last begin.
    pub claim_epoch: Option<i64>,
    /// Workers that died over it, at its last begin.
    pub crash_count: i32,
    /// Why it failed, for machines.
    pub error_class: Option<String>,
    /// Why it failed, for people.
    pub error_message: Option<String>,
}

/// A job whose attempts or crashes rose.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Counted {
    /// Which job.
    pub kind: String,
    /// Failed attempts.
    pub attempts: i32,
    /// Workers lost.
    pub crashes: i32,
    /// Waits.
    pub snoozes: i32,
}

impl Rows {
    /// Of the database that this pool leads to.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self(pool)
    }

    /// The pool itself.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.0
    }

    /// One number.
    pub async fn count(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(&self.0).await.unwrap()
    }

    /// One session.
    pub async fn session(&self, id: Uuid) -> Session {
        let query = "select status::text, outcome::text, final_analysis, error_message
                     from alert_sessions where session_id = $1";
        sqlx::query_as(query)
            .bind(id)
            .fetch_one(&self.0)
            .await
            .unwrap()
    }

    /// Its stages, in order.
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

    /// Wait until the session has ended.
    ///
    /// # Panics
    ///
    /// When it has not within `timeout`, showing where it stands.
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

    /// Wait until no session is under way.
    ///
    /// # Panics
    ///
    /// When some are after `timeout`.
    pub async fn all_ended(&self, timeout: Duration) {
        wait::until("all sessions to end", timeout, async || {
            let live =
                "select count(*) from alert_sessions where status in ('pending', 'in_progress')";
            // The server may be away for a moment.
            sqlx::query_scalar::<_, i64>(live)
                .fetch_one(&self.0)
                .await
                .is_ok_and(|live| live == 0)
        })
        .await;
    }

    /// Wait until a stage of the session is run; by which process.
    ///
    /// # Panics
    ///
    /// When none is within `timeout`.
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

    /// Wait until a process other than `loser` has begun the session's first stage, which may be over by then; who it is.
    ///
    /// # Panics
    ///
    /// When none has within `timeout`.
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

    /// Live jobs as text, for messages.
    pub async fn jobs(&self) -> Vec<String> {
        let query = "select row_to_json(j)::text from jobs j";
        sqlx::query_scalar(query).fetch_all(&self.0).await.unwrap()
    }

    /// From now on remember every job whose attempts, crashes or snoozes change: jobs go when
    /// they are done, and their counts with them.
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

    /// What [`Rows::watch_counts`] saw.
    pub async fn counted(&self) -> Vec<Counted> {
        sqlx::query_as("select kind, attempts, crashes, snoozes from counted")
            .fetch_all(&self.0)
            .await
            .unwrap()
    }
}
