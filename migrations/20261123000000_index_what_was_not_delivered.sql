-- Who was not told stands first on the Fleet page; among all that were told they are few, and often none.
create index webhook_deliveries_undelivered on webhook_deliveries (state, delivery_id) where state <> 'delivered';
