//! The service over real HTTP against a real PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod access;
mod admin;
mod alertmanager;
mod alertmanager_groups;
mod alerts;
mod approvals;
mod bad_input;
mod changes;
mod children;
mod concurrency;
mod connections;
mod conversations;
mod documents;
mod dry_run;
mod exactness;
mod hanging_commits;
mod health;
mod history;
mod hostile;
mod incidents;
mod knowledge;
mod large_webhooks;
mod live;
mod metrics;
mod pool_templates;
mod rejected;
mod replica;
mod screens;
mod server;
mod silent;
mod status;
mod suppression;
mod torn_rows;
mod webhooks;
