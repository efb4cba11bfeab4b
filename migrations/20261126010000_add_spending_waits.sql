-- Stages that wait for a person because a spending limit is reached.
-- Nothing writes the new value until a configuration says `beyond: wait`, so older versions run beside this one.
alter type wait_sort add value if not exists 'spending';
