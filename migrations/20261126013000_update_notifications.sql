-- A message that can be changed later: who posts it notes what the target calls it.
alter table webhook_deliveries add column message_ts text;
-- The delivery whose message this one changes: it takes away the buttons of an approval that was decided.
-- Both go with their session.
alter table webhook_deliveries add column updates uuid;
create unique index webhook_deliveries_updates on webhook_deliveries (updates) where updates is not null;
