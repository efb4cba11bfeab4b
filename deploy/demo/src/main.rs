//! `tarsy-demo-mcp`: an MCP server over a recorded Kubernetes cluster, for the demonstration.
//!
//! It speaks MCP over its standard streams like a real server, but the cluster is a recording. Its tools have the names
//! of those of `kubernetes-mcp-server`.

mod cluster;
mod server;
mod tools;

use anyhow::Context;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let cluster = cluster::Cluster::recorded().context("the recorded cluster can't be read")?;
    tarsy_mcp_server::serve_stdio(server::DemoServer::new(cluster)).await?;
    Ok(())
}
