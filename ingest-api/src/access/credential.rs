//! Credentials of a request.

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::access::key::BEGINNING;

/// Header that holds an API key, for senders that can't set `Authorization`.
const KEY_HEADER: &str = "x-api-key";

/// Credential that a request carries, not yet checked.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credential {
    /// Text that begins like an API key.
    Key(String),
    /// Any other text, possibly a token.
    Token(String),
}

impl Credential {
    /// Distinguishes keys from tokens by how they begin.
    fn parse(text: &str) -> Self {
        let text = text.trim().to_owned();
        if text.starts_with(BEGINNING) {
            Self::Key(text)
        } else {
            Self::Token(text)
        }
    }

    /// Returns the credential of a request. Reads `X-API-Key`, then `Authorization`, then the
    /// header of the identity proxy.
    ///
    /// In `Authorization` it accepts a bearer token, or the password of basic authentication
    /// because some monitoring systems can send nothing else.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] if a header can't be parsed or occurs twice.
    pub(super) fn shown(
        headers: &HeaderMap,
        proxy_header: Option<&str>,
    ) -> Result<Option<Self>, Unreadable> {
        if let Some(key) = single(headers, KEY_HEADER)? {
            return Ok(Some(Self::parse(key)));
        }
        if let Some(value) = single(headers, header::AUTHORIZATION.as_str())? {
            return authorization(value).map(Some);
        }
        let Some(name) = proxy_header else {
            return Ok(None);
        };
        let token = single(headers, name)?;
        Ok(token.map(|token| Self::parse(token.strip_prefix("Bearer ").unwrap_or(token))))
    }
}

/// Error of a header whose credentials can't be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Returns the value of a header that occurs once. If it occurs twice, one may be foreign, so that
/// is an error.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Unreadable> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Unreadable),
        _ => Err(Unreadable),
    }
}

fn authorization(value: &str) -> Result<Credential, Unreadable> {
    let (scheme, credentials) = value.trim().split_once(' ').ok_or(Unreadable)?;
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" => Ok(Credential::parse(credentials)),
        "basic" => {
            let pair = BASE64.decode(credentials.trim()).map_err(|_| Unreadable)?;
            let pair = String::from_utf8(pair).map_err(|_| Unreadable)?;
            let (_, password) = pair.split_once(':').ok_or(Unreadable)?;
            Ok(Credential::parse(password))
        }
        _ => Err(Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(headers: &[(&'static str, &str)]) -> Result<Option<String>, Unreadable> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let shown = Credential::shown(&map, Some("x-token"))?;
        Ok(shown.map(|credential| match credential {
            Credential::Key(key) => format!("key {key}"),
            Credential::Token(token) => format!("token {token}"),
        }))
    }

    #[test]
    fn keys_and_tokens_are_found_where_senders_put_them() {
        let found = |headers: &[(&'static str, &str)]| shown(headers).unwrap().unwrap();
        assert_eq!(found(&[("authorization", "Bearer tarsy_1")]), "key tarsy_1");
        assert_eq!(found(&[("authorization", "bearer a.b.c")]), "token a.b.c");
        let basic = format!("Basic {}", BASE64.encode("anyone:tarsy_1"));
        assert_eq!(found(&[("authorization", &basic)]), "key tarsy_1");
        assert_eq!(found(&[("x-api-key", " tarsy_2 ")]), "key tarsy_2");
        assert_eq!(found(&[("x-token", "a.b.c")]), "token a.b.c");
        assert_eq!(shown(&[("cookie", "tarsy_1")]), Ok(None));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for headers in [
            &[("authorization", "tarsy_1")][..],
            &[("authorization", "Digest tarsy_1")],
            &[("authorization", "Basic %%%")],
            &[("authorization", "Basic dGFyc3k=")],
            &[
                ("authorization", "Bearer tarsy_1"),
                ("authorization", "Bearer tarsy_2"),
            ],
            &[("x-api-key", "tarsy_1"), ("x-api-key", "tarsy_1")],
        ] {
            assert_eq!(shown(headers), Err(Unreadable), "{headers:?}");
        }
    }
}
