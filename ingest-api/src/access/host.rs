//! Host name check while access control is off.
//!
//! An attacker can make a web page's host name resolve to this machine (DNS rebinding). The browser
//! then treats that page and the service as the same origin, so the page may read every response.
//! The `Host` header still names the page's host, and no page can change it.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header, uri::Authority};

/// Returns whether every host name in a request is this machine's. A request without one (HTTP/1.0)
/// is not from a browser, so it passes.
pub(crate) fn names_loopback(uri: &Uri, headers: &HeaderMap) -> bool {
    let hosts = headers.get_all(header::HOST).iter();
    let mut hosts = hosts.map(|host| host.to_str().ok()?.parse::<Authority>().ok());
    uri.host().is_none_or(is_loopback)
        && hosts.all(|host| host.is_some_and(|host| is_loopback(host.host())))
}

fn is_loopback(host: &str) -> bool {
    let literal = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = literal.unwrap_or(host).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn answered(uri: &str, hosts: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_static(host));
        }
        names_loopback(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in [
            "localhost",
            "LocalHost:8000",
            "127.0.0.1",
            "127.8.9.1:80",
            "[::1]",
            "[::1]:8000",
        ] {
            assert!(answered("/alerts", &[host]), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "localhost@evil.example",
            "127.0.0.1.evil.example",
            "0.0.0.0",
            "192.168.0.1",
            "[::]",
            "",
        ] {
            assert!(!answered("/alerts", &[host]), "{host}");
        }
        assert!(answered("/alerts", &[]));
        assert!(!answered("/alerts", &["localhost", "evil.example"]));
        assert!(!answered("http://evil.example/alerts", &["localhost"]));
        assert!(answered("http://localhost:1/alerts", &["localhost:1"]));
    }
}
