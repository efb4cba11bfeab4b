//! `tarsy mcp`: the built-in MCP servers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_changes_mcp::ChangesServer;
use tarsy_config::{AlertMasker, Environment, Variables};
use tarsy_http_mcp::{HttpServer, Policy};
use tarsy_knowledge::Searcher;
use tarsy_knowledge::sql::SqlReader;
use tarsy_knowledge_mcp::KnowledgeServer;
use tarsy_mcp_server::{HttpOptions, ToolServer, serve_http, serve_stdio};
use tarsy_monitoring_mcp::{Login, LokiServer, PrometheusServer, Upstream};
use tarsy_past_sessions_mcp::PastSessionsServer;
use tarsy_ssh_mcp::SshServer;
use tokio::net::TcpListener;

use super::knowledge::{ModelOptions, StoreOptions};
use crate::configuration::{self, Configuration};
use crate::database;

/// Maximum number of database connections of a server.
const CONNECTIONS: u32 = 8;

/// Which server.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// Search, look up and query (SQL) the knowledge store; over standard streams unless --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_KNOWLEDGE_TOKEN")))]
    Knowledge(Knowledge),
    /// Search and read ended sessions; over standard streams unless --http is given
    #[command(name = "past_sessions", alias = "past-sessions")]
    #[command(mut_arg("token", |token| token.env("TARSY_PAST_SESSIONS_TOKEN")))]
    PastSessions(PastSessions),
    /// List recent changes near a problem: pushes, deployments, releases; over standard streams unless --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_CHANGES_TOKEN")))]
    Changes(Transport),
    /// Query metrics, alerts, rules and targets of Prometheus or a compatible server; over standard streams unless
    /// --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_MONITORING_TOKEN")))]
    Prometheus(Monitoring),
    /// Search log lines of Loki, grouped into patterns; over standard streams unless --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_MONITORING_TOKEN")))]
    Loki(Monitoring),
    /// Send requests from an allow-list to any HTTP API; over standard streams unless --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_HTTP_TOKEN")))]
    Http(Http),
    /// Run commands on hosts over SSH, from templates only; over standard streams unless --http is given
    #[command(mut_arg("token", |token| token.env("TARSY_SSH_TOKEN")))]
    Ssh(Ssh),
}

/// The server over the knowledge store.
#[derive(Debug, clap::Args)]
struct Knowledge {
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    models: ModelOptions,
    #[command(flatten)]
    transport: Transport,
}

/// The server over ended sessions.
#[derive(Debug, clap::Args)]
struct PastSessions {
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    transport: Transport,
}

/// A server over the API of Prometheus or Loki.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Credentials come only from environment variables: PROMETHEUS_TOKEN (bearer token), PROMETHEUS_LOGIN (name:password) and\n\
                  PROMETHEUS_TENANT (X-Scope-OrgID); for Loki LOKI_TOKEN, LOKI_LOGIN and LOKI_TENANT. Instead of a variable you can set\n\
                  the path of a file with the value, e.g. PROMETHEUS_TOKEN_FILE."
)]
struct Monitoring {
    /// Address of the API, with its path [default: `$PROMETHEUS_URL` or `$LOKI_URL`]
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    #[command(flatten)]
    transport: Transport,
}

impl Monitoring {
    /// Returns the client of the API, with the login from its environment variables.
    fn upstream(&self, api: &'static str) -> Result<Upstream> {
        let environment = Environment::of_process();
        let variable = |name: &str| {
            let value = environment.get(&format!("{}_{name}", api.to_uppercase()));
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let url = self.address.clone().or_else(|| variable("URL"));
        let url = url.with_context(|| {
            format!(
                "no address of {api}: give --address, or set {}_URL",
                api.to_uppercase()
            )
        })?;
        let login = Login {
            token: variable("TOKEN"),
            basic: variable("LOGIN"),
            tenant: variable("TENANT"),
        };
        environment.check()?;
        tarsy_telemetry::install_crypto();
        Ok(Upstream::new(api, &url, &login)?)
    }
}

/// The server that sends requests.
#[derive(Debug, clap::Args)]
struct Http {
    /// File with the APIs, and the requests of each API that become tools
    #[arg(long, env = "TARSY_HTTP_TOOLS", value_name = "FILE")]
    config: PathBuf,
    #[command(flatten)]
    transport: Transport,
}

/// The server that runs commands.
#[derive(Debug, clap::Args)]
struct Ssh {
    /// File with templates, hosts, and the templates that each group of hosts accepts
    #[arg(long, env = "TARSY_SSH_CONFIG", value_name = "FILE")]
    config: PathBuf,
    #[command(flatten)]
    transport: Transport,
}

/// How the server is reached.
#[derive(Debug, clap::Args)]
struct Transport {
    /// Address to listen on instead of standard streams; the path is `/mcp`
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Host name that callers use for the server; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allowed_host: Vec<String>,
    /// Token that callers must send as `Authorization: Bearer`; required if --http is not a loopback address
    #[arg(long, hide_env_values = true, requires = "http")]
    token: Option<String>,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    match &options.server {
        Server::Knowledge(options) => {
            let models = options.models.models()?;
            let pool = options.store.connect(CONNECTIONS).await?;
            let reader = options.store.connect_reader()?;
            let sql = reader.map(|reader| SqlReader::new(pool.clone(), reader));
            let server = KnowledgeServer::new(Searcher::new(pool).with_models(models), sql);
            options.transport.serve(server).await
        }
        Server::PastSessions(options) => {
            // No tool servers are started here, so their secrets need not be set.
            let config = options.configuration.load(Variables::Optional)?;
            let pool = read_only_pool("tarsy-past-sessions").await?;
            let server = PastSessionsServer::new(pool, AlertMasker::from_config(&config));
            options.transport.serve(server).await
        }
        Server::Changes(transport) => {
            let pool = read_only_pool("tarsy-changes").await?;
            transport.serve(ChangesServer::new(pool)).await
        }
        Server::Prometheus(options) => {
            let server = PrometheusServer(options.upstream(PrometheusServer::API)?);
            options.transport.serve(server).await
        }
        Server::Loki(options) => {
            let server = LokiServer(options.upstream(LokiServer::API)?);
            options.transport.serve(server).await
        }
        Server::Http(options) => {
            tarsy_telemetry::install_crypto();
            let policy = with_variables(|variable| Policy::read(&options.config, variable))?;
            options.transport.serve(HttpServer::new(policy)).await
        }
        Server::Ssh(options) => {
            let config = &options.config;
            let policy = with_variables(|variable| tarsy_ssh_mcp::Policy::read(config, variable))?;
            options.transport.serve(SshServer::new(policy)).await
        }
    }
}

/// Reads something that names environment variables. A variable that can't be read is an error.
fn with_variables<T, E>(
    read: impl FnOnce(&dyn Fn(&str) -> Option<String>) -> Result<T, E>,
) -> Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let environment = Environment::of_process();
    let found = read(&|name| environment.get(name).map(str::to_owned));
    environment.check()?;
    Ok(found?)
}

/// Connects to the fleet's database without the right to write. The transactions of the servers are read-only too,
/// because a pooler may drop connection options.
async fn read_only_pool(name: &str) -> Result<PgPool> {
    let primary = tarsy_boot::primary(&configuration::settings()?.database)?;
    let connect = primary
        .options()
        .application_name(name)
        .options([("default_transaction_read_only", "on")]);
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .min_connections(0);
    let pool = tarsy_queue::wary_pool(&primary, pool, connect);
    database::check_reachable(&primary, &pool).await?;
    Ok(pool)
}

impl Transport {
    async fn serve(&self, server: impl ToolServer) -> Result<ExitCode> {
        let Some(address) = self.http else {
            serve_stdio(server).await?;
            return Ok(ExitCode::SUCCESS);
        };
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("failed to listen on {address}"))?;
        eprintln!("listening on http://{}/mcp", listener.local_addr()?);
        let http = HttpOptions {
            token: self.token.clone(),
            allowed_hosts: self.allowed_host.clone(),
        };
        serve_http(server, listener, http, stopped()).await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Waits for the first SIGINT or SIGTERM.
async fn stopped() {
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => _ = signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
