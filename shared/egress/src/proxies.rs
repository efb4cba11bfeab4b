//! Proxies configured in the environment.

use std::sync::Arc;

use hyper_util::client::proxy::matcher::Matcher;
use url::{Host, Url};

/// Whether a URL leads to this machine. Such requests never go to a proxy, regardless of `NO_PROXY`.
#[must_use]
pub fn is_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| has_loopback_host(&url))
}

fn has_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Settings in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case, as the HTTP client
/// itself reads them.
#[derive(Clone, Debug)]
pub(crate) struct Proxies(Arc<Matcher>);

impl Proxies {
    /// Reads the environment of this process.
    pub(crate) fn from_environment() -> Self {
        Self(Arc::new(Matcher::from_env()))
    }

    #[cfg(test)]
    pub(crate) fn fixed(proxy: &str, except: &str) -> Self {
        Self(Arc::new(Matcher::builder().all(proxy).no(except).build()))
    }

    /// Whether requests to this URL go to a proxy.
    pub(crate) fn serve(&self, url: &Url) -> bool {
        let intercepted = url.as_str().parse().ok();
        !has_loopback_host(url) && intercepted.is_some_and(|uri| self.0.intercept(&uri).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_and_what_no_proxy_names_is_requested_directly() {
        let proxies = Proxies::fixed("http://proxy.corp:3128", "corp.test,10.0.0.0/8,.svc");
        for (url, expected) in [
            ("https://api.example/v1", true),
            ("http://api.example:8080/", true),
            ("https://git.corp.test/", false),
            ("https://10.1.2.3/", false),
            ("http://loki.monitoring.svc/", false),
            ("http://localhost:11434/", false),
            ("http://a.localhost/", false),
            ("http://127.0.0.9/", false),
            ("http://[::1]:8000/", false),
        ] {
            assert_eq!(proxies.serve(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
