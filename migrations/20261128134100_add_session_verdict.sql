-- What a program found when it checked the answer of a session against its tool results: docs/QUALITY.md. Null while it
-- runs, and where a worker of an older version ended it. The default fills the rows that are there without writing them.
alter table alert_sessions add column verdict text default 'not_checked', add column verdict_check jsonb;
alter table alert_sessions alter column verdict drop default;
alter table alert_sessions add constraint alert_sessions_verdict check (verdict in (
    'supported', 'partly_supported', 'unsupported', 'not_investigated', 'inconclusive', 'no_fault', 'not_checked')) not valid;
update alert_sessions set verdict = null where completed_at_us is null;

-- The check of a session's answer: that of the stage that gave it. If that stage had no tools, it concluded from the others:
-- where these were offered tools and no call of theirs succeeded, nothing was investigated. A word that this version of the
-- schema does not know is not kept, so that no end of a session is refused for it.
create function checked_answer(session uuid, answer_from uuid) returns jsonb
    language sql stable parallel safe
as $$
    select case
        when answer ->> 'verdict' in ('supported', 'partly_supported', 'unsupported', 'not_investigated', 'inconclusive', 'no_fault')
            then answer
        when answer_from is not null and exists (
                 select from stage_executions
                 where session_id = session and stage_output @? '$.verdict ? (@.verdict == "not_investigated")')
             and not exists (
                 select from stage_executions where session_id = session and stage_output @? '$.verdict.calls ? (@ > 0)')
            then jsonb_build_object('verdict', 'not_investigated', 'summary', 'Tools were offered, but no tool call succeeded.',
                                    'checked', 0, 'found', 0, 'calls', 0, 'tools_offered', true)
        else jsonb_build_object('verdict', 'not_checked', 'summary',
                                case when answer_from is null then 'There is no answer to check.'
                                     else coalesce(answer ->> 'summary', 'The answer was not checked.') end,
                                'checked', 0, 'found', 0, 'calls', 0, 'tools_offered', false)
    end
    from (select (select stage_output -> 'verdict' from stage_executions where execution_id = answer_from) as answer) a
$$;
