//! Tests a real stage worker with Postgres, a model in its wire format and an MCP server.

mod bench;
mod caching;
mod canaries;
mod code_agents;
mod eager_decision;
mod eager_next_stage;
mod finish_reasons;
mod hand_on;
mod kinds;
mod limits;
mod model_options;
mod odd_text;
mod processing;
mod regular;
mod rows;
mod silent;
mod snoozing;
mod unreadable;
mod unstorable;
mod verdicts;
