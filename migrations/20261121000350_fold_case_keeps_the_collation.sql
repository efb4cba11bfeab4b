-- The explicit collation would be that of the comparison too, and the trigram index is of another.
do $$
begin
    execute format(
        'create or replace function fold_case(text) returns text language sql immutable strict parallel safe
         as ''select lower($1 collate %I) collate "default"''',
        case when exists (select from pg_collation where collname = 'und-x-icu') then 'und-x-icu' else 'C' end);
end
$$;
