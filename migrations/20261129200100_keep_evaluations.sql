-- Summaries of evaluations that somebody wants to compare later (docs/EVALUATION.md): what `tarsy eval publish` sends. They belong to no session.
create table evaluations (
    evaluation_id uuid primary key,
    kept_at_us bigint not null default now_us(),
    author text not null,
    name text not null check (length(name) between 1 and 200),
    summary jsonb not null
);
create index evaluations_by_time on evaluations (kept_at_us desc, evaluation_id desc);
