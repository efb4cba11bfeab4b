-- Stages of a graph that are not run: their condition is false, or everything that they need was skipped.
-- Nothing writes the new value until a chain with conditions is configured, so older versions run beside this one.
alter type stage_status add value if not exists 'skipped';
