//! Session cookie of a signed-in browser, and its protection against cross-site request forgery.
//!
//! Browsers also attach cookies to requests that foreign pages send. So a request that changes
//! something must also carry the header [`CSRF_HEADER`] and the origin of an allowed page. Forms
//! can't set that header, and foreign pages can't set it without a preflight, which is refused.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

use crate::access::actor::Actor;
use crate::live::{is_allowed, is_listed};
use crate::problem::Problem;

/// Cookie for https.
const SECURE_COOKIE: &str = "__Host-tarsy_session";
const COOKIE: &str = "tarsy_session";
/// Header that a request with a cookie must carry if it changes something.
const CSRF_HEADER: &str = "x-tarsy-csrf";

/// Returns the token in a request's session cookie. If there are two cookies of that name, one is
/// foreign, so neither counts.
///
/// Over https only the cookie counts that no subdomain and no http page can set. `secure_hosts` are
/// the hosts that browsers reach only over https.
pub(super) fn token_of<'h>(headers: &'h HeaderMap, secure_hosts: &[String]) -> Option<&'h str> {
    let host = text(headers, header::HOST).unwrap_or_default();
    let mut hosts = secure_hosts.iter();
    let mut is_secure_host = || hosts.any(|one| one.eq_ignore_ascii_case(host));
    let plain = || single(headers, COOKIE).filter(|_| !is_https(headers) && !is_secure_host());
    single(headers, SECURE_COOKIE).or_else(plain)
}

/// Returns the hosts (with ports) of these origins that are reached over https and not over http.
pub(super) fn secure_hosts(origins: &[String]) -> Vec<String> {
    let with_scheme = |scheme: &'static str| {
        origins
            .iter()
            .filter_map(move |one| one.strip_prefix(scheme))
    };
    let is_open = |host: &str| with_scheme("http://").any(|open| open.eq_ignore_ascii_case(host));
    let hosts = with_scheme("https://").filter(|host| !is_open(host));
    hosts.map(str::to_owned).collect()
}

pub(super) fn single<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    let mut values = pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(|(key, value)| (key == name).then_some(value));
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

/// Refuses a request that changes something and is authenticated by a cookie, unless an allowed page sent it.
///
/// # Errors
///
/// [`Problem::CsrfHeaderMissing`] or [`Problem::OriginNotAllowed`].
pub(super) fn check_forgery(
    actor: &Actor,
    method: &Method,
    headers: &HeaderMap,
    allowed_origins: &[String],
) -> Result<(), Problem> {
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if is_safe || actor.browser_session().is_none() {
        return Ok(());
    }
    if !headers.contains_key(CSRF_HEADER) {
        return Err(Problem::CsrfHeaderMissing);
    }
    if !is_allowed(headers, allowed_origins) {
        return Err(Problem::OriginNotAllowed);
    }
    Ok(())
}

/// Returns whether a page may open a socket with a cookie. Its origin must be allowed, and either
/// listed or equal to this host and port. Cookies don't distinguish ports, so a page of another
/// program on this machine would send them too.
pub(crate) fn is_own_page(headers: &HeaderMap, allowed_origins: &[String]) -> bool {
    let Some(origin) = text(headers, header::ORIGIN) else {
        return false;
    };
    let is_this_host = || {
        let authority = origin.parse::<Uri>().ok()?.into_parts().authority?;
        Some(
            authority
                .as_str()
                .eq_ignore_ascii_case(text(headers, header::HOST)?),
        )
    };
    is_allowed(headers, allowed_origins)
        && (is_listed(origin, allowed_origins) || is_this_host() == Some(true))
}

/// Returns the `Set-Cookie` header of a new session. The cookie is `Secure` if the page came over
/// https. The browser shows that in `Origin`, and a proxy that terminates TLS in
/// `X-Forwarded-Proto`.
pub(crate) fn cookie(token: &str, lifetime: Duration, headers: &HeaderMap) -> HeaderValue {
    session_cookie(token, lifetime, is_https(headers))
}

/// Returns the `Set-Cookie` header of a new session where the caller knows whether browsers use https.
pub(super) fn session_cookie(token: &str, lifetime: Duration, is_secure: bool) -> HeaderValue {
    set_cookie(COOKIE, token, lifetime, "Strict", is_secure)
}

/// Returns the `Set-Cookie` headers that remove both cookies.
pub(crate) fn removals() -> [HeaderValue; 2] {
    [true, false].map(|is_secure| session_cookie("", Duration::ZERO, is_secure))
}

/// Returns a `Set-Cookie` header. Over https the name gets the prefix `__Host-`, which binds the
/// cookie to this host, so that no subdomain can set it (RFC 6265bis).
pub(super) fn set_cookie(
    name: &str,
    value: &str,
    lifetime: Duration,
    same_site: &str,
    is_secure: bool,
) -> HeaderValue {
    let (seconds, prefix) = (lifetime.as_secs(), host_prefix(is_secure));
    let secure = if is_secure { "; Secure" } else { "" };
    let text = format!(
        "{prefix}{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}"
    );
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

/// Returns the prefix of a cookie's name that only https pages of this host can set.
pub(super) const fn host_prefix(is_secure: bool) -> &'static str {
    if is_secure { "__Host-" } else { "" }
}

/// Returns whether the browser or a proxy reports https. Without such a report, http is assumed.
fn is_https(headers: &HeaderMap) -> bool {
    match text(headers, header::ORIGIN) {
        Some(origin) => origin.starts_with("https://"),
        None => {
            let scheme = HeaderName::from_static("x-forwarded-proto");
            text(headers, scheme) == Some("https")
        }
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_cookie_is_found_among_others_and_of_two_neither_counts() {
        let found =
            |lines: &[(&'static str, &str)]| token_of(&request(lines), &[]).map(str::to_owned);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(found(&[("cookie", "a=b; tarsy_session=t")]), some("t"));
        assert_eq!(
            found(&[("cookie", "a=b"), ("cookie", "tarsy_session=t")]),
            some("t")
        );
        let both = "tarsy_session=t; __Host-tarsy_session=s";
        assert_eq!(found(&[("cookie", both)]), some("s"));
        assert_eq!(
            found(&[("cookie", "tarsy_session=t; tarsy_session=u")]),
            None
        );
        assert_eq!(
            found(&[("cookie", "xtarsy_session=t; tarsy_session")]),
            None
        );
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn over_https_only_the_cookie_counts_that_no_other_page_can_set() {
        let origins = [
            "https://tarsy.example",
            "https://both.example",
            "http://both.example",
        ];
        let hosts = secure_hosts(&origins.map(str::to_owned));
        assert_eq!(hosts, ["tarsy.example"]);
        for (name, value, counts) in [
            ("origin", "https://a.example", false),
            ("x-forwarded-proto", "https", false),
            ("host", "tarsy.example", false),
            ("host", "TARSY.example", false),
            ("host", "both.example", true),
            ("host", "localhost:8000", true),
            ("origin", "http://localhost:8000", true),
        ] {
            let plain = request(&[(name, value), ("cookie", "tarsy_session=t")]);
            assert_eq!(
                token_of(&plain, &hosts).is_some(),
                counts,
                "{name}: {value}"
            );
            let bound = request(&[
                (name, value),
                ("cookie", "tarsy_session=t; __Host-tarsy_session=s"),
            ]);
            assert_eq!(token_of(&bound, &hosts), Some("s"), "{name}: {value}");
        }
    }

    #[test]
    fn the_cookie_is_secure_over_https_only() {
        let made = |headers: &[(&'static str, &str)]| {
            let value = cookie("t", Duration::from_secs(60), &request(headers));
            value.to_str().unwrap().to_owned()
        };
        let plain = "tarsy_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        let secure = format!("__Host-{plain}; Secure");
        assert_eq!(made(&[("origin", "http://localhost:8000")]), plain);
        assert_eq!(made(&[("origin", "https://tarsy.example")]), secure);
        assert_eq!(made(&[("x-forwarded-proto", "https")]), secure);
        let both = [
            ("origin", "http://a.example"),
            ("x-forwarded-proto", "https"),
        ];
        assert_eq!(made(&both), plain);
    }

    #[test]
    fn a_socket_is_opened_by_pages_of_this_host_and_port_and_by_listed_ones() {
        let listed = ["https://tarsy.example".to_owned()];
        let own = |origin: &str, host: &str| {
            is_own_page(&request(&[("origin", origin), ("host", host)]), &listed)
        };
        assert!(own("http://127.0.0.1:8000", "127.0.0.1:8000"));
        assert!(own("https://tarsy.example", "10.0.0.1:8000"));
        // The page of another program on this machine.
        assert!(!own("http://127.0.0.1:3000", "127.0.0.1:8000"));
        // A host name that an attacker points to this machine.
        assert!(!own("http://evil.example:8000", "evil.example:8000"));
        assert!(!is_own_page(
            &request(&[("host", "127.0.0.1:8000")]),
            &listed
        ));
    }
}
