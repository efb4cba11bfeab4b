//! Configuration: the fleet's shared file and each process's environment.
//!
//! [`Config::load`] reads `config/agents.yaml` over the built-in definitions and answers
//! with a checked [`Config`] or with **all** [`Problems`] at once. [`Settings::read`] does
//! the same for environment variables. Nothing else in the fleet reads the environment.

mod agent;
mod alert_masker;
mod builtin;
mod chain;
mod config;
mod context;
mod fields;
mod guardrail;
mod hold;
mod knowledge;
mod limits;
mod load;
mod masking;
mod notification;
mod oauth;
mod plan;
mod policy;
mod price;
mod price_catalogue;
mod problem;
mod provider;
mod redact;
mod references;
mod registry;
mod resolved;
mod retention;
mod runbooks;
mod schema;
mod sections;
mod server;
pub mod settings;
mod slack_app;
mod spending;
mod stage;
mod strict;
mod suggest;
mod suppression;
pub mod template;
mod units;
mod webhook;
mod write_back;
mod yaml;

pub use agent::AgentConfig;
pub use alert_masker::AlertMasker;
pub use config::Config;
pub use context::Variables;
pub use guardrail::Guardrails;
pub use knowledge::KnowledgeConfig;
pub use limits::AgentLimits;
pub use load::Source;
pub use notification::{NotificationConfig, NotificationFormat};
pub use oauth::{OAuthConfig, OAuthProof};
pub use plan::{AgentPlan, StagePlan, StagePlans};
pub use policy::{Policy, PolicyAction};
pub use price::Price;
pub use price_catalogue::{CataloguePrice, catalogue_price, price_catalogue};
pub use problem::{Position, Problem, Problems};
pub use provider::{ProviderConfig, TlsConfig};
pub use resolved::Resolved;
pub use retention::Retention;
pub use runbooks::{GitHubHost, RepositoryGlob, RunbookConfig};
pub use schema::json_schema;
pub use server::{Approve, Connection, Elicitation, McpServerConfig};
pub use settings::{Environment, Settings};
pub use slack_app::{SlackApp, SlackUser};
pub use spending::SpendingLimits;
pub use strict::strict_findings;
pub use tarsy_masking::{CustomPattern, MaskingConfig};
pub use tarsy_model::{ProviderKind, Secret};
pub use webhook::{Mapping, WebhookConfig, WebhookKind};
pub use write_back::WriteBack;
