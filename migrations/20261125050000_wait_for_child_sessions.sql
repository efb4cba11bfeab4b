-- Stages that wait for the child sessions that their agent dispatched.
-- Nothing writes the new values until a configuration has sub-agents, so older versions run beside this one.
alter type wait_sort add value if not exists 'children';
alter type wait_decision add value if not exists 'children_ended';
