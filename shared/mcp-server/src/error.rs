//! Errors of serving.

use std::net::SocketAddr;

/// Reason why serving ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No client completed the handshake, or the streams broke.
    #[error("the connection over standard streams failed: {0}")]
    Stdio(String),
    /// The address is reachable from other hosts, but no token restricts who may call.
    #[error("{0} is reachable from other hosts: set a token, or listen on 127.0.0.1")]
    Open(SocketAddr),
    /// A socket operation failed.
    #[error("failed to serve HTTP")]
    Http(#[from] std::io::Error),
}
