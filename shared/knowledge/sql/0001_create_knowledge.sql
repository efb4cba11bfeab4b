-- The knowledge store. Not one of the fleet's migrations: `tarsy knowledge enable` runs it, in a
-- database of its own or beside the fleet's tables. There are no foreign keys on tables that COPY
-- fills: a load writes both sides in one transaction.
create schema knowledge;
-- One view for each collection: all that SQL questions can read.
create schema knowledge_views;

create table knowledge.schema_version (version int not null);
insert into knowledge.schema_version values (1);

-- Ids are handed out for a whole batch, in its transaction: loads write their batches one after the other.
create table knowledge.next_ids (record_id bigint not null, chunk_id int not null);
insert into knowledge.next_ids values (1, 1);

create table knowledge.collections (
    collection_id int generated always as identity primary key,
    name text not null unique check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
    mapping jsonb not null,
    -- Rises with each change, so that searchers know when what they keep is old.
    generation bigint not null default 0,
    created_at timestamptz not null default now()
);

create table knowledge.loads (
    load_id int generated always as identity primary key,
    collection_id int not null references knowledge.collections on delete cascade,
    source text not null,
    content_hash bytea not null,
    mapping_hash bytea not null,
    state text not null default 'running' check (state in ('running', 'completed')),
    -- Rows that need not be read again after a crash.
    rows_read bigint not null default 0,
    added bigint not null default 0,
    replaced bigint not null default 0,
    unchanged bigint not null default 0,
    rejected bigint not null default 0,
    empty bigint not null default 0,
    started_at timestamptz not null default now(),
    finished_at timestamptz
);
create index loads_by_content on knowledge.loads (collection_id, content_hash, mapping_hash);

create table knowledge.records (
    record_id bigint primary key,
    collection_id int not null,
    -- The load that wrote it, and the last one that had it.
    load_id int not null,
    seen_load_id int not null,
    record_key text not null,
    content_hash bytea not null,
    fields jsonb not null,
    source_line bigint not null,
    first_chunk int not null,
    chunk_count int not null
);
create unique index records_by_key on knowledge.records (collection_id, record_key);

create table knowledge.chunks (
    chunk_id int primary key,
    record_id bigint not null,
    ordinal int not null,
    text text not null
);

-- The index of the chunks that one transaction of a load added: numbers from first_chunk on.
create table knowledge.segments (
    segment_id int generated always as identity primary key,
    collection_id int not null,
    first_chunk int not null,
    -- Chunks that are not gone, and their words.
    live bigint not null,
    words bigint not null,
    -- Words of each chunk as two bytes, least significant first; 0: gone.
    lengths bytea not null
);
alter table knowledge.segments alter column lengths set storage external;
create index segments_by_collection on knowledge.segments (collection_id);

-- Which chunks of a segment hold a term: shared/knowledge/src/index/postings.rs.
create table knowledge.postings (
    term text collate "C" not null,
    segment_id int not null,
    chunks int not null,
    data bytea not null,
    primary key (term, segment_id)
);
alter table knowledge.postings alter column data set storage external;
