-- Upper and lower case are the same to a search, in every script where Postgres has ICU, else in ASCII. One function
-- for documents and for what is searched in them.
do $$
begin
    execute format(
        'create function fold_case(text) returns text language sql immutable strict parallel safe
         as ''select lower($1 collate %I)''',
        case when exists (select from pg_collation where collname = 'und-x-icu') then 'und-x-icu' else 'C' end);
end
$$;

-- The chain workers read the sessions again.
truncate session_search;
