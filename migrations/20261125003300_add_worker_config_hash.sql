-- Which configuration a worker runs: during a rollout two hashes are seen side by side. Null: a worker of an older version,
-- or one that has none. Since when: by the database's clock, as it changes with a reload.
alter table workers add column config_hash text, add column config_since timestamptz;
