-- The right cause of a session whose answer is rated partly right or wrong, as a person states it.
alter table session_care add column right_cause text;
