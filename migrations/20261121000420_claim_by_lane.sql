-- A queue has a lane per priority. Within a lane jobs become ready in the order of their ranks, so that a worker
-- knows up to where it has taken them all and need not walk over the remains of those again (docs/decisions/0006).
alter table jobs add constraint jobs_priority check (priority between 0 and 3) not valid;
drop index jobs_ready;
create index jobs_ready on jobs (queue, priority, rank, id) where state = 'ready';
