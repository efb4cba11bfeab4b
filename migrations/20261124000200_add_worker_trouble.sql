-- What keeps a worker that lives from doing its work, in its own words; written with its sign of life. Workers of
-- an older version write none.
alter table workers add column trouble text;
