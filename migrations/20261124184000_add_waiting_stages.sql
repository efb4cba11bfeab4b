-- Stages that wait for a person, a signal or a time, and hold nothing meanwhile.
-- Nothing writes the new value until a configuration asks for it, so older versions run beside this one.
alter type stage_status add value if not exists 'waiting';
