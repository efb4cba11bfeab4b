//! The primary dies and its synchronous standby takes its place.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tarsy_testing::postgres::{Cluster, Installation};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::Nemesis;

/// Name of the standby in `synchronous_standby_names`.
const NAME: &str = "other";
/// Timeout until a standby has caught up.
const CATCHING_UP: Duration = Duration::from_secs(60);
/// How long a former primary that came back accepts writes.
const RETURNED: Duration = Duration::from_secs(2);

/// A second server, which follows the first.
pub(crate) struct Standby {
    installation: Installation,
    cluster: Mutex<Cluster>,
    /// Whether it follows the other server and is synchronous.
    follows: AtomicBool,
    /// Its port, and that of the first.
    port: u16,
}

impl Standby {
    /// Starts a synchronous standby of `primary`, whose database `pool` leads to.
    pub(crate) async fn start(
        installation: &Installation,
        primary: &Cluster,
        folder: &Path,
        pool: &PgPool,
    ) -> Result<Self> {
        let cluster =
            tokio::task::block_in_place(|| primary.standby(installation, folder, NAME, &|_| ()))?;
        make_synchronous(pool).await?;
        Ok(Self {
            installation: installation.clone(),
            port: cluster.port(),
            cluster: Mutex::new(cluster),
            follows: AtomicBool::new(true),
        })
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}

/// Makes commits wait for the standby. This is set only after the standby was copied from the primary. Otherwise the
/// standby would wait for itself once it is promoted.
async fn make_synchronous(pool: &PgPool) -> Result<()> {
    let set = format!("alter system set synchronous_standby_names = '{NAME}'");
    sqlx::query(sqlx::AssertSqlSafe(set)).execute(pool).await?;
    sqlx::query("select pg_reload_conf()").execute(pool).await?;
    let state = "select exists (select from pg_stat_replication where sync_state = 'sync')";
    let end = Instant::now() + CATCHING_UP;
    while !sqlx::query_scalar::<_, bool>(state).fetch_one(pool).await? {
        ensure!(Instant::now() < end, "the standby did not catch up");
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// Makes commits wait for no standby, so that a copy of the primary does not wait for one either.
async fn forget_synchronous(pool: &PgPool) -> Result<()> {
    for statement in [
        "alter system reset synchronous_standby_names",
        "select pg_reload_conf()",
    ] {
        sqlx::query(statement).execute(pool).await?;
    }
    Ok(())
}

impl Nemesis {
    /// Kills the primary, promotes the standby some time later, and makes the former primary its standby. In half of
    /// the cases the former primary first comes back as a primary. Returns how many primaries were killed.
    pub(super) async fn fail_over(&self, dice: u64) -> Result<usize> {
        let Some(standby) = &self.standby else {
            return Ok(0);
        };
        // Only one at a time. Another failover can follow later.
        let Ok(mut other) = standby.cluster.try_lock() else {
            return Ok(0);
        };
        let mut primary = self.cluster.lock().await;
        if !standby.follows.swap(false, Ordering::SeqCst) {
            // Another fault may have interrupted the last failover.
            forget_synchronous(&self.pool).await?;
            tokio::task::block_in_place(|| other.kill())?;
            self.rebuild(standby, &mut other, &primary).await?;
            standby.follows.store(false, Ordering::SeqCst);
        }
        tokio::task::block_in_place(|| primary.kill())?;
        sleep(Duration::from_millis((dice >> 8) % 1_500)).await;
        tokio::task::block_in_place(|| other.promote())?;
        std::mem::swap(&mut *primary, &mut *other);
        let database = self.pool.connect_options();
        let database = database.get_database().unwrap_or_default();
        let options: PgConnectOptions = primary.url(database).parse()?;
        self.pool.set_connect_options(options);
        self.primary.fetch_xor(1, Ordering::SeqCst);
        if dice.is_multiple_of(2) {
            tokio::task::block_in_place(|| other.start_again())?;
            sleep(RETURNED).await;
            tokio::task::block_in_place(|| other.kill())?;
        }
        self.rebuild(standby, &mut other, &primary).await?;
        Ok(1)
    }

    /// Makes the other server the synchronous standby of the primary.
    async fn rebuild(
        &self,
        standby: &Standby,
        other: &mut Cluster,
        primary: &Cluster,
    ) -> Result<()> {
        tokio::task::block_in_place(|| other.follow(&standby.installation, primary, NAME))?;
        make_synchronous(&self.pool).await?;
        standby.follows.store(true, Ordering::SeqCst);
        Ok(())
    }
}
