//! Stands in for another process, as Postgres sees it: sessions, a lock and a row.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection, PgPool};
use tarsy_testing::TestDb;
use uuid::Uuid;

use crate::rig::{job, put};

/// Length of a lease that does not run out during a test.
pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// A process with one worker.
pub(crate) struct Process {
    pub(crate) id: Uuid,
    pub(crate) process: Uuid,
    url: String,
    key: i64,
    /// The session that holds the lock.
    lease: PgConnection,
}

impl Process {
    pub(crate) async fn start(db: &TestDb, role: &str) -> Self {
        let (id, process, key) = (Uuid::now_v7(), Uuid::now_v7(), rand::random());
        let mut lease = session(db.url(), &process.to_string()).await;
        lock(&mut lease, key).await;
        sqlx::query(
            "insert into workers (id, role, host, pid, version, queues, slots, lock_key, process_id)
             values ($1, $2, 'elsewhere', 1, '0', '{q}', 1, $3, $4)",
        )
        .bind(id)
        .bind(role)
        .bind(key)
        .bind(process)
        .execute(&mut lease)
        .await
        .unwrap();
        let url = db.url().to_owned();
        Self {
            id,
            process,
            url,
            key,
            lease,
        }
    }

    /// Opens another session of this process.
    pub(crate) async fn another_session(&self) -> PgConnection {
        session(&self.url, &format!("elsewhere claim {}", self.process)).await
    }

    /// Creates a job that this process holds with a lease of this length.
    pub(crate) async fn running_job(&self, pool: &PgPool, lease: Duration) -> Uuid {
        let id = put(pool, job().delay(HOUR)).await;
        self.claim(pool, id, lease, false).await;
        id
    }

    /// Claims a job, to run it alone in its worker or next to others.
    pub(crate) async fn claim(&self, pool: &PgPool, job: Uuid, lease: Duration, alone: bool) {
        sqlx::query(
            "update jobs set state = 'running', owner = $2, epoch = epoch + 1,
                 isolated_epoch = case when $4 then epoch + 1 end,
                 expires_at = clock_timestamp() + make_interval(secs => $3)
             where id = $1",
        )
        .bind(job)
        .bind(self.id)
        .bind(lease.as_secs_f64())
        .bind(alone)
        .execute(pool)
        .await
        .unwrap();
    }

    /// Connects again after the session was lost.
    pub(crate) async fn come_back(&mut self) {
        self.lease = session(&self.url, &self.process.to_string()).await;
        lock(&mut self.lease, self.key).await;
    }

    pub(crate) async fn renew(&self, pool: &PgPool) {
        let renew =
            "update jobs set expires_at = clock_timestamp() + interval '1 hour' where owner = $1";
        sqlx::query(renew)
            .bind(self.id)
            .execute(pool)
            .await
            .unwrap();
    }

    /// Closes the session that holds the lock.
    pub(crate) async fn lose_lease(self) {
        self.lease.close_hard().await.unwrap();
    }

    pub(crate) async fn kill(self) {
        self.lose_lease().await;
    }
}

async fn session(url: &str, name: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    PgConnection::connect_with(&tarsy_queue::steady_plans(options).application_name(name))
        .await
        .unwrap()
}

async fn lock(session: &mut PgConnection, key: i64) {
    sqlx::query("select pg_advisory_lock($1)")
        .bind(key)
        .execute(session)
        .await
        .unwrap();
}
