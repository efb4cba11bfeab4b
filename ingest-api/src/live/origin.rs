//! Origin check of web pages that open a socket.
//!
//! A browser opens a WebSocket to any host for any page, and sends the user's cookies with it. Only
//! the `Origin` header shows which page it was (cross-site WebSocket hijacking).

use axum::http::{HeaderMap, Uri, header};

/// Returns whether the page that sent these headers may open a socket. Every browser sends an
/// origin. A request without one is not from a page and needs a ticket instead.
///
/// Besides the listed origins, pages from this machine are allowed. The `Host` header proves
/// nothing, because a host name that an attacker points to this machine would appear in it too.
pub(crate) fn is_allowed(headers: &HeaderMap, listed: &[String]) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else {
        return false;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    if is_listed(origin, listed) {
        return true;
    }
    let Ok(uri) = origin.parse::<Uri>() else {
        return false;
    };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    is_web && matches!(uri.host(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Returns whether an origin is listed.
pub(crate) fn is_listed(origin: &str, listed: &[String]) -> bool {
    listed
        .iter()
        .any(|allowed| allowed.eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        headers.insert(header::HOST, "evil.example".parse().unwrap());
        is_allowed(&headers, &["https://tarsy.example".to_owned()])
    }

    #[test]
    fn only_own_pages_are_allowed() {
        for origin in [
            "https://tarsy.example",
            "http://localhost:5173",
            "http://127.0.0.1:8000",
            "http://[::1]:1",
        ] {
            assert!(allowed(Some(origin)), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "http://tarsy.example",
            "https://tarsy.example.evil.example",
            "http://localhost.evil.example",
            "http://evil.example#localhost",
            "http://localhost@evil.example",
            "null",
            "",
            "file://",
        ] {
            assert!(!allowed(Some(origin)), "{origin}");
        }
        assert!(!allowed(None));
    }
}
