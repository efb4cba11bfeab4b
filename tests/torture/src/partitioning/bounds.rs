//! Moves the bounds of partitions into the time of the run. The product's bounds are at least a day away.

use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::PgPool;
use tokio::time::{Instant, sleep};

/// Timeout, because others lock the tables and Postgres may be down.
const MOVING: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(300);

/// Ends the first partition in some seconds, and adds narrow partitions after it, in one transaction per table. The
/// evidence triggers move from the first partition to the partitioned table, so that every partition has them.
///
/// A position is a time in milliseconds, or a number; `lowest_id` makes it an id.
const MOVE: &str = r"
set local lock_timeout = '200ms';
create or replace function pg_temp.lowest_id(kind text, at bigint) returns text language sql as $$
    select case kind when 'uuid' then (lpad(to_hex(at), 12, '0') || repeat('0', 20))::uuid::text else at::text end
$$;
do $$
declare
    whole text := 'TABLE';
    kind text := (select atttypid::regtype from pg_attribute where attrelid = 'TABLE'::regclass and attname = 'COLUMN');
    bound text := substring(pg_get_expr((select relpartbound from pg_class where oid = 'TABLE_past'::regclass), 'TABLE_past'::regclass)
                            from 'TO \(''?([-0-9a-f]+)''?\)');
    at bigint := case kind when 'uuid' then (extract(epoch from clock_timestamp()) * 1000)::bigint + 2000
                 else coalesce((select last_value from events_id_seq), 0) + 500 end;
    step bigint := case kind when 'uuid' then 8000 else 2000 end;
    key text;
    trigger record;
begin
    if to_regclass('TABLE_soon_1') is not null then
        return;
    end if;
    if kind = 'uuid' then
        lock table alert_sessions, stage_executions in share row exclusive mode;
    end if;
    lock table TABLE in access exclusive mode;
    execute format('alter table %I detach partition %I', whole, whole || '_past');
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)',
                   whole, whole || '_past', pg_temp.lowest_id(kind, at));
    for n in 1..6 loop
        key := case n when 6 then bound else pg_temp.lowest_id(kind, at + step) end;
        execute format('create table %I (like %I including all excluding identity)', whole || '_soon_' || n, whole || '_past');
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       whole, whole || '_soon_' || n, pg_temp.lowest_id(kind, at), key);
        at := at + step;
    end loop;
    for trigger in
        select tgname, replace(pg_get_triggerdef(oid), '_past', '') as definition from pg_trigger
        where tgrelid = 'TABLE_past'::regclass and tgname like 'torture\_%'
    loop
        execute format('drop trigger %I on %I', trigger.tgname, whole || '_past');
        execute trigger.definition;
    end loop;
end $$";

/// Moves the bounds of all tables.
pub(super) async fn come_soon(pool: &PgPool) -> Result<()> {
    for (table, column) in [
        ("llm_interactions", "interaction_id"),
        ("mcp_interactions", "interaction_id"),
        ("events", "id"),
    ] {
        let statements = MOVE.replace("TABLE", table).replace("COLUMN", column);
        let end = Instant::now() + MOVING;
        while let Err(error) = execute(pool, &statements).await {
            if Instant::now() > end {
                return Err(error).context("bounds of partitions can't be moved");
            }
            sleep(PAUSE).await;
        }
    }
    Ok(())
}

async fn execute(pool: &PgPool, statements: &str) -> Result<(), sqlx::Error> {
    let mut tx = pool.begin().await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(statements))
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}
