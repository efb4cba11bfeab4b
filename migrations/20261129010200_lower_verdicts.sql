-- The check of a session's answer, lowered by what stages of kind `verify` found: a refuted claim leaves it partly supported, and
-- unsupported if all are refuted. `verified_by` are the ids of their rows; null: none verified it. Nothing is raised.
create function lowered_check(answer jsonb, verified_by jsonb) returns jsonb
    language sql stable parallel safe
as $$
    select case
        when verified_by is null then answer
        else (
            select case
                when coalesce(refuted, 0) = 0 then answer
                else answer || jsonb_build_object(
                    'verdict', case
                        when answer ->> 'verdict' not in ('supported', 'partly_supported', 'no_fault') then answer ->> 'verdict'
                        when refuted = claims then 'unsupported'
                        else 'partly_supported' end,
                    'refuted', refuted, 'verified', claims,
                    'summary', concat(answer ->> 'summary', format(' A second model refuted %s of %s claims.', refuted, claims)))
                end
            from (select sum((data ->> 'refuted')::int) as refuted, sum(jsonb_array_length(data -> 'checks')) as claims
                  from (select stage_output -> 'data' as data from stage_executions
                        where execution_id in (select id::uuid from jsonb_array_elements_text(verified_by) id)) v
                 ) counted)
        end
$$;
