//! Runs the jobs that notify people of started sessions.

use sqlx::{Connection as _, PgConnection};
use tarsy_failpoint::reached;
use tarsy_model::SessionId;
use tarsy_queue::{NewJob, Outcome};

use super::Advancer;
use crate::Error;
use crate::notify::{Subscriptions, delivery_job};

impl Advancer {
    /// Creates the notifications of a session that has started. Idempotent: at most one per target. A session that has
    /// already ended gets none.
    pub(crate) async fn announce_start(&self, id: SessionId) -> Result<Outcome, Error> {
        self.announce(async |conn| announce(conn, id, &self.subscriptions).await)
            .await
    }
}

async fn announce(
    conn: &mut PgConnection,
    id: SessionId,
    subscriptions: &Subscriptions,
) -> Result<(), Error> {
    let targets = subscriptions.of_starts();
    let mut tx = conn.begin().await?;
    let new = tarsy_store::deliveries::insert_start_notices(&mut tx, id, &targets).await?;
    let jobs: Vec<NewJob> = new.into_iter().map(delivery_job).collect();
    tarsy_queue::enqueue(&mut tx, &jobs).await?;
    reached("chain.announce_start.before_commit");
    tx.commit().await?;
    reached("chain.announce_start.after_commit");
    Ok(())
}
