//! `tarsy mcp`: MCP servers of our own.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use tarsy_knowledge::Searcher;
use tarsy_knowledge::sql::SqlReader;
use tarsy_knowledge_mcp::{HttpOptions, KnowledgeServer, serve_http, serve_stdio};
use tokio::net::TcpListener;

use super::knowledge::Place;

/// Connections to the store.
const CONNECTIONS: u32 = 8;

/// Which server.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// Search, lookup and SQL over the knowledge store; over standard streams unless --http is given
    Knowledge(Knowledge),
}

/// How the server is reached.
#[derive(Debug, clap::Args)]
struct Knowledge {
    #[command(flatten)]
    place: Place,
    /// Listen here instead, at /mcp
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// What callers send as `Authorization: Bearer`; needed beyond loopback
    #[arg(
        long,
        env = "TARSY_KNOWLEDGE_TOKEN",
        hide_env_values = true,
        requires = "http"
    )]
    token: Option<String>,
    /// Name under which the server is called; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allowed_host: Vec<String>,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let Server::Knowledge(options) = &options.server;
    let pool = options.place.connect(CONNECTIONS).await?;
    let reader = options.place.connect_reader()?;
    let sql = reader.map(|reader| SqlReader::new(pool.clone(), reader));
    let server = KnowledgeServer::new(Searcher::new(pool), sql);
    let Some(address) = options.http else {
        serve_stdio(server).await?;
        return Ok(ExitCode::SUCCESS);
    };
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("failed to listen on {address}"))?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    let http = HttpOptions {
        token: options.token.clone(),
        allowed_hosts: options.allowed_host.clone(),
    };
    serve_http(server, listener, http, stopped()).await?;
    Ok(ExitCode::SUCCESS)
}

/// Ready with the first SIGINT or SIGTERM.
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
