-- Functions in SQL with queries in them are planned anew by each statement that calls them, which took longer than the end of a session
-- itself. PL/pgSQL keeps their plans.

create or replace function checked_answer(session uuid, answer_from uuid) returns jsonb
    language plpgsql stable parallel safe
as $$
declare
    answer jsonb := (select stage_output -> 'verdict' from stage_executions where execution_id = answer_from);
begin
    if answer ->> 'verdict' in ('supported', 'partly_supported', 'unsupported', 'not_investigated', 'inconclusive', 'no_fault') then
        return answer;
    end if;
    if answer_from is not null
       and exists (select from stage_executions
                   where session_id = session and stage_output @? '$.verdict ? (@.verdict == "not_investigated")')
       and not exists (select from stage_executions where session_id = session and stage_output @? '$.verdict.calls ? (@ > 0)') then
        return jsonb_build_object('verdict', 'not_investigated', 'summary', 'Tools were offered, but no tool call succeeded.',
                                  'checked', 0, 'found', 0, 'calls', 0, 'tools_offered', true);
    end if;
    return jsonb_build_object('verdict', 'not_checked', 'summary',
                              case when answer_from is null then 'There is no answer to check.'
                                   else coalesce(answer ->> 'summary', 'The answer was not checked.') end,
                              'checked', 0, 'found', 0, 'calls', 0, 'tools_offered', false);
end
$$;

create or replace function lowered_check(answer jsonb, verified_by jsonb) returns jsonb
    language plpgsql stable parallel safe
as $$
declare
    refuted bigint;
    claims bigint;
begin
    if verified_by is null then
        return answer;
    end if;
    select sum((data ->> 'refuted')::int), sum(jsonb_array_length(data -> 'checks')) into refuted, claims
    from (select stage_output -> 'data' as data from stage_executions
          where execution_id in (select id::uuid from jsonb_array_elements_text(verified_by) id)) v;
    if coalesce(refuted, 0) = 0 then
        return answer;
    end if;
    return answer || jsonb_build_object(
        'verdict', case
            when answer ->> 'verdict' not in ('supported', 'partly_supported', 'no_fault') then answer ->> 'verdict'
            when refuted = claims then 'unsupported'
            else 'partly_supported' end,
        'refuted', refuted, 'verified', claims,
        'summary', concat(answer ->> 'summary', format(' A second model refuted %s of %s claims.', refuted, claims)));
end
$$;
