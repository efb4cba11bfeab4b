//! Triggers that record evidence: begins, ends, late writes, and model calls of deleted sessions.

use std::path::Path;

use anyhow::{Context, Result};
use sqlx::PgPool;

/// Tables of the torture run, in the tortured database.
const TRIGGERS: &str = "
create table torture_retired (session_id uuid primary key, incident text);
create table torture_asked (interaction_id uuid primary key, execution_id uuid);
create table torture_begun (
    id bigint generated always as identity, execution_id uuid, owner uuid, epoch bigint,
    at timestamptz default clock_timestamp());
create table torture_taken (job_id uuid, epoch bigint);
create index on torture_begun (execution_id);
create table torture_recorded (interaction_id uuid primary key, runs bigint);
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
create trigger torture_note_stage after insert or update on stage_executions
    for each row execute function torture_note_stage();

-- Records each job that a sweep takes from a dead, frozen or disconnected worker.
create function torture_note_taken() returns trigger language plpgsql as $$ begin
    insert into torture_taken values (new.id, new.epoch);
    return new;
end $$;
create trigger torture_note_taken after update of epoch on jobs
    for each row when (old.state = 'running' and new.state = 'ready' and new.epoch > old.epoch)
    execute function torture_note_taken();

create function torture_note_session() returns trigger language plpgsql as $$ begin
    insert into torture_ended (kind, subject, old, new)
    values ('session', new.session_id, old.status::text, new.status::text);
    return new;
end $$;
create trigger torture_note_session after update on alert_sessions
    for each row when (new.completed_at_us is distinct from old.completed_at_us and new.completed_at_us is not null)
    execute function torture_note_session();

create table torture_decided (
    id bigint generated always as identity, wait_id uuid, old text, new text);
create function torture_note_decision() returns trigger language plpgsql as $$ begin
    insert into torture_decided (wait_id, old, new) values (new.wait_id, old.decision::text, new.decision::text);
    return new;
end $$;
create trigger torture_note_decision after update of decision on waits
    for each row execute function torture_note_decision();

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
create function torture_note_question() returns trigger language plpgsql as $$ begin
    insert into torture_asked values (new.interaction_id, new.stage_execution_id) on conflict do nothing;
    return new;
end $$;
create trigger torture_note_question after insert on llm_interactions
    for each row execute function torture_note_question();
-- Counts the runs that began before an answer was recorded. The transaction that records it holds the stage's
-- row lock, so no other run can begin before it commits. Later runs find the answer and must not ask the model again.
create function torture_note_answer() returns trigger language plpgsql as $$ begin
    insert into torture_recorded
    select new.interaction_id, count(*) from torture_begun where execution_id = new.stage_execution_id
    on conflict do nothing;
    return new;
end $$;
create trigger torture_note_answer after update of success on llm_interactions
    for each row when (new.success and old.success is not true) execute function torture_note_answer();
create trigger torture_note_write after insert or update of claim_epoch on llm_interactions
    for each row execute function torture_note_write();
create trigger torture_note_write after insert or update of claim_epoch on mcp_interactions
    for each row execute function torture_note_write();
";

pub(crate) async fn install(pool: &PgPool) -> Result<()> {
    sqlx::raw_sql(TRIGGERS)
        .execute(pool)
        .await
        .context("the evidence triggers can't be made")?;
    Ok(())
}

/// Tables to inspect when a run fails.
const KEPT: [&str; 15] = [
    "alert_sessions",
    "stage_executions",
    "llm_interactions",
    "mcp_interactions",
    "jobs",
    "audit_log",
    "torture_retired",
    "torture_asked",
    "torture_recorded",
    "torture_begun",
    "torture_taken",
    "torture_ended",
    "torture_decided",
    "torture_stale",
    "waits",
];

/// Writes the rows to a file of JSON lines, because the database is deleted with its server.
pub(crate) async fn keep(pool: &PgPool, folder: &Path) -> Result<()> {
    for table in KEPT {
        let rows = format!("select row_to_json(t)::text from {table} t");
        let rows: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(rows))
            .fetch_all(pool)
            .await?;
        std::fs::write(folder.join(format!("{table}.jsonl")), rows.join("\n"))?;
    }
    Ok(())
}
