-- no-transaction
-- A mention in a thread names the session by it.
create index concurrently if not exists slack_threads_thread on slack_threads (target, thread_ts);
