-- What is searched of sessions, as it is written: whoever indexes masks it and folds its case. `search_documents`
-- stays for workers that don't mask.
create function search_texts(sessions uuid[])
returns table (session_id uuid, started_at_us bigint, completed_at_us bigint, text text)
language sql stable
as $$
    select s.session_id, s.started_at_us, s.completed_at_us,
           -- More than is kept, so that a secret is not cut in two.
           left(concat_ws(E'\n', s.session_id, s.alert_type, s.severity, s.alert_data,
                          s.error_message, s.final_analysis, s.runbook_error, e.errors), 69632)
    from alert_sessions s
    cross join lateral (
        select string_agg(error_message, E'\n') as errors from stage_executions x where x.session_id = s.session_id
    ) e
    where s.session_id = any(sessions)
    order by s.session_id
$$;
