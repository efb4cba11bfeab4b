-- Which version of the indexer wrote a document (`DOCUMENT_VERSION` in shared/store). Documents of older versions, such
-- as those that were not masked, are written again in the background. Workers that don't know the column leave 0.
alter table session_search add column version smallint not null default 0;
