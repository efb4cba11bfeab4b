//! The floor's worker: claims up to fifty empty stages at a time and ends them in groups.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tarsy_coalesce::{Coalescer, GroupLimits};
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;

use super::{CHANNEL, STAGES, connect};

const SLOTS: u32 = 50;
/// Poll interval without a NOTIFY.
const RECHECK: Duration = Duration::from_millis(500);

/// Claims jobs and starts their stages. Parameters: limit, owner.
const CLAIM: &str = "
    with best as (select id from floor.job where state = 0 order by id limit $1 for update skip locked),
    claimed as (
        update floor.job set state = 1, epoch = epoch + 1, owner = $2,
            lease_until = clock_timestamp() + interval '3 s'
        where id = any(array(select id from best)) returning id, sid, stage, epoch),
    begun as (
        insert into floor.stage (sid, stage, status, owner) select sid, stage, 'active', $2 from claimed)
    select id, epoch from claimed";

/// Ends stages that are still held and inserts the jobs of the next ones. Parameters: ids, epochs, output, stages per
/// chain.
const END: &str = "
    with held as (
        delete from floor.job j using unnest($1::bigint[], $2::int[]) e (id, epoch)
        where j.id = any(array[e.id]) and j.epoch = e.epoch and j.state = 1 returning j.id, j.sid, j.stage),
    ended as (
        update floor.stage t set status = 'completed', finished_at = clock_timestamp(), output = $3::jsonb
        from held h where t.sid = h.sid and t.stage = h.stage),
    next as (insert into floor.job (sid, stage) select sid, stage + 1 from held where stage < $4),
    done as (
        update floor.session s set status = 'completed', finished_at = clock_timestamp()
        from held h where h.stage = $4 and s.id = h.sid)
    select id from held";

/// Renews the leases of a live owner.
const RENEW: &str = "
    update floor.job set lease_until = clock_timestamp() + interval '3 s'
    where state = 1 and owner = $1 and lease_until < clock_timestamp() + interval '2 s'";

const EXPIRE: &str =
    "update floor.job set state = 0 where state = 1 and lease_until < clock_timestamp()";

type Ends = Coalescer<(i64, i32), bool, sqlx::Error>;

pub(super) async fn work(url: &str) -> Result<()> {
    let pool = connect(url, 8).await?;
    let owner = Uuid::now_v7().to_string();
    let wake = Arc::new(Notify::new());
    tokio::try_join!(
        listen(&pool, &wake),
        renew_leases(&pool, &owner, &wake),
        claim(&pool, &owner, &wake),
    )?;
    Ok(())
}

/// Claims whenever there is room, and ends what was claimed.
async fn claim(pool: &PgPool, owner: &str, wake: &Arc<Notify>) -> Result<()> {
    let limits = GroupLimits {
        max_batch: 64,
        max_flushes: 2,
        overlap_from: 1,
        ..GroupLimits::default()
    };
    let ending = pool.clone();
    let ends: Ends = Coalescer::new(limits, move |group| end(ending.clone(), group));
    let slots = Arc::new(Semaphore::new(usize::try_from(SLOTS)?));
    loop {
        // Take all free slots, but at least one.
        let mut permit = Arc::clone(&slots).acquire_owned().await?;
        while let Ok(more) = Arc::clone(&slots).try_acquire_owned() {
            permit.merge(more);
        }
        let claimed: Vec<(i64, i32)> = sqlx::query_as(CLAIM)
            .bind(i64::try_from(permit.num_permits())?)
            .bind(owner)
            .fetch_all(pool)
            .await?;
        if claimed.is_empty() {
            drop(permit);
            tokio::time::timeout(RECHECK, wake.notified()).await.ok();
            continue;
        }
        for stage in claimed {
            let slot = permit.split(1);
            let (ends, wake) = (ends.clone(), Arc::clone(wake));
            tokio::spawn(async move {
                if let Err(error) = ends.submit(stage).await {
                    eprintln!("the floor could not end a stage: {error}");
                }
                drop(slot);
                // The next stage of this chain waits.
                wake.notify_one();
            });
        }
    }
}

async fn listen(pool: &PgPool, wake: &Notify) -> Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        listener.recv().await?;
        wake.notify_one();
    }
}

/// Renews the leases of this worker and frees expired ones.
async fn renew_leases(pool: &PgPool, owner: &str, wake: &Notify) -> Result<()> {
    let mut beats = tokio::time::interval(RECHECK);
    loop {
        beats.tick().await;
        sqlx::query(RENEW).bind(owner).execute(pool).await?;
        let freed = sqlx::query(EXPIRE).execute(pool).await?;
        if freed.rows_affected() > 0 {
            wake.notify_one();
        }
    }
}

async fn end(pool: PgPool, group: Vec<(i64, i32)>) -> sqlx::Result<Vec<bool>> {
    let (ids, epochs): (Vec<i64>, Vec<i32>) = group.iter().copied().unzip();
    let held: Vec<i64> = sqlx::query_scalar(END)
        .bind(&ids)
        .bind(&epochs)
        .bind(format!(r#"{{"result":"{}"}}"#, "x".repeat(1000)))
        .bind(STAGES)
        .fetch_all(&pool)
        .await?;
    let held: HashSet<i64> = held.into_iter().collect();
    Ok(ids.iter().map(|id| held.contains(id)).collect())
}
