-- Vectors of chunks, by model: another model's are computed beside them while searches go on.
-- `vector` holds 32 bit floats, least significant byte first, of length 1.
create table knowledge.embeddings (
    model text collate "C" not null,
    chunk_id int not null,
    dimension int not null,
    vector bytea not null,
    primary key (model, chunk_id)
);
alter table knowledge.embeddings alter column vector set storage external;
create index embeddings_by_chunk on knowledge.embeddings (chunk_id);

update knowledge.schema_version set version = 2;
