//! Allowed hosts and response limits.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use url::{Host, Url};

use crate::{Error, is_public};

/// Exceptions for an allowed host. Without any, only https to public addresses is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Allows private addresses, e.g. of a server in the operator's own network.
    pub private: bool,
    /// Allows http; for tests.
    pub http: bool,
}

/// Allowed hosts and limits of requests and responses.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) hosts: BTreeMap<String, Access>,
    /// Longest time for a request, including redirects. Default 10 s.
    pub timeout: Duration,
    /// Largest response, in bytes. Default 1 MiB.
    pub max_bytes: usize,
    /// Maximum number of redirects. Default 3.
    pub max_redirects: usize,
    /// Checks that an address is public; replaced only in tests.
    pub(crate) is_public: fn(IpAddr) -> bool,
}

impl Default for Policy {
    /// Creates a policy that allows no host.
    fn default() -> Self {
        Self {
            hosts: BTreeMap::new(),
            timeout: Duration::from_secs(10),
            max_bytes: 1024 * 1024,
            max_redirects: 3,
            is_public,
        }
    }
}

impl Policy {
    /// Creates a policy that allows no host and has these limits.
    #[must_use]
    pub fn bounded(timeout: Duration, max_bytes: usize) -> Self {
        Self {
            timeout,
            max_bytes,
            ..Self::default()
        }
    }

    /// Allows a host, on its scheme's default port (`host`) or on one port (`host:port`).
    #[must_use]
    pub fn allow(mut self, host: &str, access: Access) -> Self {
        self.hosts
            .insert(host.trim_end_matches('.').to_ascii_lowercase(), access);
        self
    }

    /// Allows the host of a URL, on the URL's port.
    #[must_use]
    pub fn allow_host_of(self, url: &Url, access: Access) -> Self {
        // A URL without a host never passes `check`.
        self.allow(&host_and_port(url).unwrap_or_default(), access)
    }

    /// Checks a URL. Returns the access that the policy gives to its host.
    ///
    /// # Errors
    ///
    /// The URL contains credentials, its host is not on the list, its scheme is not allowed, or it contains a literal
    /// address that is not public.
    pub fn check(&self, url: &Url) -> Result<Access, Error> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::InvalidUrl("it holds credentials"));
        }
        let host = host_and_port(url)?;
        let access = *self
            .hosts
            .get(&host)
            .ok_or_else(|| Error::HostNotAllowed(host.clone()))?;
        if url.scheme() != "https" && !(url.scheme() == "http" && access.http) {
            return Err(Error::SchemeNotAllowed {
                scheme: url.scheme().to_owned(),
                host,
            });
        }
        // Names are checked when they are resolved. Literal addresses are never resolved, so they are checked here.
        let literal = match url.host() {
            Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            _ => None,
        };
        if literal.is_some_and(|address| !access.private && !(self.is_public)(address)) {
            return Err(Error::PrivateAddress(host));
        }
        Ok(access)
    }
}

/// Returns `host`, or `host:port` if the port is not the scheme's default.
fn host_and_port(url: &Url) -> Result<String, Error> {
    let host = url
        .host_str()
        .ok_or(Error::InvalidUrl("it has no host"))?
        .trim_end_matches('.');
    Ok(url
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Parses an untrusted URL.
///
/// # Errors
///
/// [`Error::InvalidUrl`] for input that a parser would silently repair. Control characters, whitespace and backslashes
/// can make two parsers disagree about a host.
pub fn parse_url(text: &str) -> Result<Url, Error> {
    let text = text.trim_matches(' ');
    if text
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || c == '\\')
    {
        return Err(Error::InvalidUrl(
            "it holds whitespace, control characters or backslashes",
        ));
    }
    let mut url = Url::parse(text).map_err(|_| Error::InvalidUrl("it can't be parsed"))?;
    if !matches!(url.scheme(), "https" | "http") {
        return Err(Error::InvalidUrl("it is not http or https"));
    }
    // A name with a trailing dot means the same host but would not match the list.
    if let Some(name) = url
        .host_str()
        .and_then(|host| host.strip_suffix('.'))
        .map(str::to_owned)
    {
        url.set_host(Some(&name))
            .map_err(|_| Error::InvalidUrl("its host can't be parsed"))?;
    }
    Ok(url)
}
