//! Credentials of a request.

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::access::key::BEGINNING;

/// A header for a key alone, for senders that can set no `Authorization`.
const KEY_HEADER: &str = "x-api-key";

/// Something that may open the door.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Credential {
    /// What looks like an API key.
    Key(String),
    /// Anything else: perhaps a token.
    Token(String),
}

impl Credential {
    /// Tell keys and tokens apart by how they begin.
    fn parse(text: &str) -> Self {
        let text = text.trim().to_owned();
        if text.starts_with(BEGINNING) {
            Self::Key(text)
        } else {
            Self::Token(text)
        }
    }

    /// What a request shows: `X-API-Key`, then `Authorization` (bearer, or the password of basic
    /// authentication, which is all that some monitoring systems can send), then the header
    /// of the identity proxy. `Err`: something that can't be read.
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

/// A header with credentials that make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// A header that is there once: of two, one is not the sender's.
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
