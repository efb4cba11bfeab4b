-- In place of the primary key's index, which lacks the states of stages. Only names change: no row is read or written.
alter table session_tallies drop constraint session_tallies_pkey, add constraint session_tallies_pkey primary key using index session_tallies_line;
