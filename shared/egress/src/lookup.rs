//! DNS lookups that reject private addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::Error;

/// A resolver for host names.
#[async_trait]
pub trait Lookup: Send + Sync + 'static {
    /// Returns all addresses of a name.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0))
            .await?
            .map(|socket| socket.ip())
            .collect())
    }
}

/// Resolver of the HTTP client. The client connects to the returned addresses and does not resolve
/// again, so DNS rebinding has no effect.
pub(crate) struct Guard {
    pub(crate) lookup: Arc<dyn Lookup>,
    /// Checks that an address is public; `None`: any address is allowed.
    pub(crate) is_public: Option<fn(IpAddr) -> bool>,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, is_public) = (Arc::clone(&self.lookup), self.is_public);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let addresses = match lookup.addresses(&host).await {
                Ok(addresses) => addresses,
                Err(source) => return Err(Error::Lookup { host, source }.into()),
            };
            // One private address is enough to refuse: the client may try any of them.
            let fits = is_public.is_none_or(|fits| addresses.iter().all(|ip| fits(*ip)));
            if !fits {
                return Err(Error::PrivateAddress(host).into());
            }
            let sockets: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(sockets)
        })
    }
}
