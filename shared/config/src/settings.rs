//! Settings of a process from its environment. There is one struct for each concern, read once.
//!
//! Settings that a fleet shares (agents, chains, servers, providers) are in `config/agents.yaml`. Settings that differ
//! between processes and machines are here.
//!
//! A variable `NAME` may be given as a file whose path is in `NAME_FILE`; see [`Environment`].

mod access;
mod connections;
mod database;
mod environment;
mod history;
mod ingest;
mod log;
mod ops;
mod public_url;
mod reader;
mod reload;
mod runbooks;
mod secret_file;
mod worker;

use std::fmt;
use std::path::PathBuf;

pub use access::{AccessSettings, OidcSettings, OidcSignInSettings, RateLimit};
pub use connections::{ConnectionSettings, Network};
pub use database::DatabaseSettings;
pub use environment::Environment;
pub use history::HistorySettings;
pub use ingest::IngestSettings;
pub use log::{LogFormat, LogSettings};
pub use ops::OpsListen;
pub use reload::ReloadSettings;
pub use runbooks::RunbookSettings;
pub use worker::{ChainWorkerSettings, QueueSettings, StageWorkerSettings};

pub(crate) use log::{LEVELS, canonical_level};
pub(crate) use reader::Reader;
pub(crate) use secret_file::SUFFIX as FILE_SUFFIX;
pub(crate) use worker::SCHEDULE_TIMEOUTS;

use crate::Problems;

/// All settings that a process reads from its environment.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Connections to Postgres.
    pub database: DatabaseSettings,
    /// The HTTP service.
    pub ingest: IngestSettings,
    /// Settings of a stage worker.
    pub stage_worker: StageWorkerSettings,
    /// Settings of a chain worker.
    pub chain_worker: ChainWorkerSettings,
    /// Address of a worker's probes and metrics.
    pub ops_listen: OpsListen,
    /// Leases, draining, polling.
    pub queue: QueueSettings,
    /// Logs and traces.
    pub log: LogSettings,
    /// The history of finished sessions.
    pub history: HistorySettings,
    /// Limits of runbooks. [`crate::Config::runbooks`] already includes them.
    pub runbooks: RunbookSettings,
    /// When the configuration file is reloaded.
    pub reload: ReloadSettings,
    /// `AGENT_CONFIG_FILE`; see [`crate::Source::chosen_by`].
    pub agent_config_file: Option<PathBuf>,
}

/// One row of [`Settings::describe`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The environment variable.
    pub name: &'static str,
    /// Its default; empty if there is none.
    pub default: String,
    /// What it controls, with its unit.
    pub meaning: &'static str,
}

impl Variable {
    /// Whether its value is a secret, or contains one.
    #[must_use]
    pub fn holds_secret(&self) -> bool {
        const ENDINGS: [&str; 5] = ["_KEY", "_KEY_ID", "_TOKEN", "_SECRET", "DATABASE_URL"];
        const OTHERS: [&str; 5] = [
            "AWS_BEARER_TOKEN_BEDROCK",
            "DATABASE_DIRECT_URL",
            "MCP_SERVER_REGISTRY",
            "TARSY_KNOWLEDGE_READER_URL",
            "TARSY_KNOWLEDGE_URL",
        ];
        ENDINGS.iter().any(|ending| self.name.ends_with(ending)) || OTHERS.contains(&self.name)
    }
}

impl Settings {
    /// Reads all settings.
    ///
    /// # Errors
    ///
    /// Every variable with an invalid value, and every pair of variables that contradict each other.
    pub fn read(env: &Environment) -> Result<Self, Problems> {
        let mut reader = Reader::new(env);
        let settings = Self::read_with(&mut reader);
        let (mut problems, _) = reader.finish();
        problems.extend(env.problems());
        reader::refuse(problems)?;
        Ok(settings)
    }

    /// Returns every variable with its default and meaning, grouped by concern.
    #[must_use]
    pub fn describe() -> Vec<Variable> {
        let env = Environment::default();
        let mut reader = Reader::new(&env);
        let _ = Self::read_with(&mut reader);
        reader.finish().1
    }

    fn read_with(reader: &mut Reader<'_>) -> Self {
        let database = DatabaseSettings::read(reader);
        let public_url = public_url::read(reader);
        let settings = Self {
            database,
            ingest: IngestSettings::read(reader, public_url.as_deref()),
            stage_worker: StageWorkerSettings::read(reader),
            chain_worker: ChainWorkerSettings::read(reader, public_url),
            ops_listen: OpsListen::read(reader),
            queue: QueueSettings::read(reader),
            log: LogSettings::read(reader),
            history: HistorySettings::read(reader),
            runbooks: RunbookSettings::read(reader),
            reload: ReloadSettings::read(reader),
            agent_config_file: reader
                .text(
                    "AGENT_CONFIG_FILE",
                    "config/agents.yaml, if it is there",
                    "agents, chains, MCP servers, providers; default: the built-in ones",
                )
                .map(PathBuf::from),
        };
        // `tarsy_boot::deny_inspection` reads it before anything else. It is read here so that it is checked and
        // described.
        let _ = reader.choice(
            "TARSY_CORE_DUMPS",
            &["off", "on"],
            "on: the kernel may write core dumps, and processes of the same user (MCP servers) can read this one's memory and environment",
        );
        for (name, meaning) in READ_BY_THE_FILE.iter().chain(&READ_BY_COMMANDS) {
            let _ = reader.text(name, "", meaning);
        }
        settings
    }
}

/// Variables that sections of the configuration file refer to by name.
const READ_BY_THE_FILE: [(&str, &str); 24] = [
    (
        "DEFAULT_LLM_PROVIDER",
        "provider where none is named; overrides the file's `default_llm_provider`",
    ),
    ("GEMINI_API_KEY", "key of the built-in provider `gemini`"),
    ("OPENAI_API_KEY", "key of the built-in provider `openai`"),
    ("XAI_API_KEY", "key of the built-in provider `xai`"),
    (
        "ANTHROPIC_API_KEY",
        "key of the built-in provider `anthropic`",
    ),
    (
        "OLLAMA_BASE_URL",
        "makes the built-in provider `ollama` available, e.g. `http://localhost:11434`",
    ),
    ("OLLAMA_MODEL", "model of the built-in provider `ollama`"),
    (
        "AZURE_OPENAI_API_KEY",
        "key of providers of type `azure_openai` that name no other",
    ),
    (
        "AWS_BEARER_TOKEN_BEDROCK",
        "API key of providers of type `bedrock` that name no other",
    ),
    (
        "AWS_ACCESS_KEY_ID",
        "signs calls to Bedrock where there is no API key, with AWS_SECRET_ACCESS_KEY",
    ),
    ("AWS_SECRET_ACCESS_KEY", "see AWS_ACCESS_KEY_ID"),
    (
        "AWS_SESSION_TOKEN",
        "see AWS_ACCESS_KEY_ID; of temporary keys",
    ),
    (
        "AWS_REGION",
        "region of providers of type `bedrock` that name none",
    ),
    ("AWS_DEFAULT_REGION", "another name of AWS_REGION"),
    (
        "VERTEX_ACCESS_TOKEN",
        "token of providers of type `vertex`, in place of credentials; it expires",
    ),
    (
        "GOOGLE_CLOUD_PROJECT",
        "project of providers of type `vertex` that name none",
    ),
    (
        "GOOGLE_APPLICATION_CREDENTIALS",
        "key file of a service account for providers of type `vertex`; default: the metadata server",
    ),
    (
        "GCE_METADATA_HOST",
        "metadata server of Google Cloud; default metadata.google.internal",
    ),
    ("GITHUB_TOKEN", "read access to runbooks on github.com"),
    (
        "KUBECONFIG",
        "cluster of the built-in `kubernetes-server`; default ~/.kube/config, in a pod its service account",
    ),
    (
        "AGENT_REGISTRY",
        "agents by alert type as JSON: `{\"DiskFull\": \"StorageAgent\"}`; as chains of one stage",
    ),
    (
        "MCP_SERVER_REGISTRY",
        "MCP servers as JSON, in the form of the file's `mcp_servers`",
    ),
    ("AGENT_REGISTRY_CONFIG", "another name of AGENT_REGISTRY"),
    (
        "MCP_SERVER_REGISTRY_CONFIG",
        "another name of MCP_SERVER_REGISTRY",
    ),
];

/// Variables of `tarsy eval`, `tarsy knowledge` and `tarsy mcp`, which read them as options.
const READ_BY_COMMANDS: [(&str, &str); 18] = [
    (
        "TARSY_EVAL_DATABASE_URL",
        "database of `tarsy eval run`, for its runs alone",
    ),
    (
        "TARSY_KNOWLEDGE_URL",
        "database of the knowledge store; default: that of `DATABASE_URL`",
    ),
    (
        "TARSY_KNOWLEDGE_READER_URL",
        "the same database with the login of SQL questions, which can only read",
    ),
    (
        "TARSY_KNOWLEDGE_TOKEN",
        "bearer token of `tarsy mcp knowledge --http`",
    ),
    (
        "TARSY_KNOWLEDGE_EMBED_URL",
        "OpenAI-compatible endpoint of vectors, with path; default: none",
    ),
    ("TARSY_KNOWLEDGE_EMBED_MODEL", "model of vectors"),
    ("TARSY_KNOWLEDGE_EMBED_KEY", "key of that endpoint"),
    (
        "TARSY_KNOWLEDGE_EMBED_PATH",
        "folder of a local model of vectors (BERT), instead of an endpoint; default: none",
    ),
    (
        "TARSY_KNOWLEDGE_RERANK_URL",
        "endpoint of reranking (Cohere, Jina), with path; default: none",
    ),
    ("TARSY_KNOWLEDGE_RERANK_MODEL", "model of reranking"),
    ("TARSY_KNOWLEDGE_RERANK_KEY", "key of that endpoint"),
    (
        "TARSY_HTTP_TOOLS",
        "file of APIs and requests of `tarsy mcp http`",
    ),
    (
        "TARSY_HTTP_TOKEN",
        "bearer token of `tarsy mcp http --http`",
    ),
    (
        "TARSY_MONITORING_TOKEN",
        "bearer token of `tarsy mcp prometheus --http` and `tarsy mcp loki --http`",
    ),
    (
        "TARSY_PAST_SESSIONS_TOKEN",
        "bearer token of `tarsy mcp past_sessions --http`",
    ),
    (
        "TARSY_CHANGES_TOKEN",
        "bearer token of `tarsy mcp changes --http`",
    ),
    (
        "TARSY_SSH_CONFIG",
        "file of hosts and command templates of `tarsy mcp ssh`",
    ),
    ("TARSY_SSH_TOKEN", "bearer token of `tarsy mcp ssh --http`"),
];

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = if self.default.is_empty() {
            "-"
        } else {
            &self.default
        };
        write!(f, "{:<28} {:<22} {}", self.name, default, self.meaning)?;
        match self.holds_secret() {
            true => write!(
                f,
                "; or {}{FILE_SUFFIX}: the path of a file with it",
                self.name
            ),
            false => Ok(()),
        }
    }
}
