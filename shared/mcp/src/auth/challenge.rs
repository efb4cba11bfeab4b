//! The challenge of a 401 or 403 response (`WWW-Authenticate`).

use reqwest::header::WWW_AUTHENTICATE;
use reqwest::{Response, StatusCode};
use rmcp::transport::auth::WWWAuthenticateParams;
use url::Url;

/// A 401 or 403 response.
pub(crate) struct Challenge {
    status: StatusCode,
    header: Option<String>,
}

impl Challenge {
    /// Returns the challenge of a 401 or 403 response; `None` for any other response.
    pub(crate) fn from_response(response: &Response) -> Option<Self> {
        let status = response.status();
        let refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        refused.then(|| Self {
            status,
            header: bearer_challenge(response),
        })
    }

    /// Whether the token is missing or invalid (401), not only insufficient (403).
    pub(super) fn is_unauthorised(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// Returns the header `WWW-Authenticate` as received.
    pub(super) fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    pub(super) fn parse(&self, server: &Url) -> WWWAuthenticateParams {
        self.header
            .as_deref()
            .map(|header| WWWAuthenticateParams::parse(header, server))
            .unwrap_or_default()
    }
}

/// Returns the Bearer challenge, which OAuth needs, or else the first challenge.
fn bearer_challenge(response: &Response) -> Option<String> {
    let headers = response.headers().get_all(WWW_AUTHENTICATE);
    let texts: Vec<&str> = headers.iter().filter_map(|v| v.to_str().ok()).collect();
    let is_bearer = |text: &&&str| {
        text.get(..6)
            .is_some_and(|s| s.eq_ignore_ascii_case("bearer"))
    };
    texts
        .iter()
        .find(is_bearer)
        .or(texts.first())
        .map(|text| (*text).to_owned())
}
