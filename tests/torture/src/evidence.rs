//! Triggers that note what rows no longer show: who began, who ended, who wrote too late.

use anyhow::{Context, Result};
use sqlx::PgPool;

/// Tables of the torture's own, in the tortured database.
const TRIGGERS: &str = "
create table torture_retired (session_id uuid primary key);
create table torture_begun (
    id bigint generated always as identity, execution_id uuid, owner uuid, epoch bigint);
create table torture_ended (
    id bigint generated always as identity, kind text, subject uuid, old text, new text);
create table torture_stale (
    id bigint generated always as identity, what text, execution_id uuid, epoch bigint, held bigint);

create function torture_note_stage() returns trigger language plpgsql as $$ begin
    if (new.claim_owner, new.claim_epoch) is distinct from (old.claim_owner, old.claim_epoch) then
        insert into torture_begun (execution_id, owner, epoch)
        values (new.execution_id, new.claim_owner, new.claim_epoch);
    end if;
    if new.completed_at_us is distinct from old.completed_at_us
       or new.status <> old.status and new.status in ('completed', 'failed', 'cancelled') then
        insert into torture_ended (kind, subject, old, new)
        values ('stage', new.execution_id, old.status::text, new.status::text);
    end if;
    return new;
end $$;
create trigger torture_note_stage after update on stage_executions
    for each row execute function torture_note_stage();

create function torture_note_session() returns trigger language plpgsql as $$ begin
    insert into torture_ended (kind, subject, old, new)
    values ('session', new.session_id, old.status::text, new.status::text);
    return new;
end $$;
create trigger torture_note_session after update on alert_sessions
    for each row when (new.completed_at_us is distinct from old.completed_at_us and new.completed_at_us is not null)
    execute function torture_note_session();

create function torture_note_write() returns trigger language plpgsql as $$
declare held bigint;
begin
    select claim_epoch into held from stage_executions where execution_id = new.stage_execution_id;
    if new.claim_epoch < held then
        insert into torture_stale (what, execution_id, epoch, held)
        values (tg_table_name, new.stage_execution_id, new.claim_epoch, held);
    end if;
    return new;
end $$;
create trigger torture_note_write after insert or update of claim_epoch on llm_interactions
    for each row execute function torture_note_write();
create trigger torture_note_write after insert or update of claim_epoch on mcp_interactions
    for each row execute function torture_note_write();
";

/// Set them up.
pub(crate) async fn install(pool: &PgPool) -> Result<()> {
    sqlx::raw_sql(TRIGGERS)
        .execute(pool)
        .await
        .context("the evidence triggers can't be made")?;
    Ok(())
}
