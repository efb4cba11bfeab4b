-- no-transaction
-- Lists that are sorted by cost, and `cost:>1`: from the dearest on, those without a price by id.
create index concurrently if not exists session_tallies_cost on session_tallies (cost_usd desc, session_id desc);
