//! Client for the HTTP API behind a server.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json::Value;
use tarsy_egress::{
    Access, Client, Error, Policy, SystemLookup, only_to, parse_url, secret_header,
};
use url::Url;

/// Timeout of a request. It is shorter than that of a tool call.
const PATIENCE: Duration = Duration::from_secs(25);
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Maximum length of an error text that is shown to the model, in characters.
const LONGEST_REASON: usize = 600;
/// Header that names the tenant in Loki and Mimir.
const TENANT: HeaderName = HeaderName::from_static("x-scope-orgid");

/// Credentials and tenant that the server sends to the API.
#[derive(Clone, Default)]
pub struct Login {
    /// Token that is sent as `Authorization: Bearer`.
    pub token: Option<String>,
    /// Name and password for HTTP basic authentication, as `name:password`. Ignored if there is a token.
    pub basic: Option<String>,
    /// Tenant (`X-Scope-OrgID`).
    pub tenant: Option<String>,
}

/// Error of [`Upstream::new`].
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The address is not an HTTP URL, or contains credentials.
    #[error(
        "{name} needs an address such as http://{name}.monitoring:9090, without name and password in it"
    )]
    Address {
        /// Name of the API.
        name: &'static str,
    },
    /// A value of the login contains characters that are not allowed in a header.
    #[error("the {0} contains characters that are not allowed in an HTTP header")]
    Header(&'static str),
    /// The HTTP client could not be created.
    #[error(transparent)]
    Client(#[from] Error),
}

/// An HTTP API that answers in JSON. Requests go only to its own host, even after a redirect.
#[derive(Clone)]
pub struct Upstream {
    name: &'static str,
    client: Client,
    base: Url,
    headers: HeaderMap,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The headers are left out because they contain the login.
        f.debug_struct("Upstream")
            .field("name", &self.name)
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

impl Upstream {
    /// Creates a client for the API `name` at the address `base`.
    ///
    /// # Errors
    ///
    /// Returns [`UpstreamError`] if the address or the login can't be used.
    pub fn new(name: &'static str, base: &str, login: &Login) -> Result<Self, UpstreamError> {
        let mut base = parse_url(base).map_err(|_| UpstreamError::Address { name })?;
        let policy = policy_of(&base).ok_or(UpstreamError::Address { name })?;
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        Ok(Self {
            name,
            client: Client::new(policy, Arc::new(SystemLookup))?,
            base,
            headers: login.headers()?,
        })
    }

    /// Sends a GET of `path` with these parameters and returns the JSON answer.
    ///
    /// The error text is written for the model: what failed, and what to do.
    pub(crate) async fn get(
        &self,
        path: &str,
        parameters: &[(&str, String)],
    ) -> Result<Value, String> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path()));
        url.query_pairs_mut().extend_pairs(parameters);
        let headers_for = only_to(&self.base, &self.headers);
        let name = self.name;
        let response = match self.client.get(url, headers_for).await {
            Ok(response) => response,
            Err(Error::TooLarge(limit)) => {
                return Err(format!(
                    "the answer of {name} is larger than {} MiB: ask for fewer series, a shorter range or a longer step",
                    limit / 1024 / 1024
                ));
            }
            Err(Error::Timeout(limit)) => {
                return Err(format!(
                    "{name} did not answer within {limit:?}: ask for fewer series or a shorter range"
                ));
            }
            Err(error) => return Err(format!("{name} can't be reached: {}", chain_of(&error))),
        };
        let document = serde_json::from_slice::<Value>(&response.body).ok();
        match response.status.as_u16() {
            200..=299 => document.ok_or_else(|| {
                format!("the answer of {name} is no JSON: is its address that of {name} itself?")
            }),
            status @ (401 | 403) => Err(format!(
                "{name} refuses the login of this server (HTTP {status}): an operator must correct it"
            )),
            404 => Err(format!(
                "{name} has no {path} (HTTP 404): its address may lack a path, or it is another program"
            )),
            status => {
                let text = || String::from_utf8_lossy(&response.body).trim().to_owned();
                let reason = document.as_ref().and_then(reason_of).unwrap_or_else(text);
                let reason: String = reason.chars().take(LONGEST_REASON).collect();
                Err(format!("{name} refuses this (HTTP {status}): {reason}"))
            }
        }
    }
}

/// Allows only the host of an address; `None` if the address has no host or contains credentials.
///
/// A person configured the host, so it may be in the cluster. Plain HTTP is allowed only if the address itself uses it,
/// because a redirect from https to http would send the login in clear text.
fn policy_of(base: &Url) -> Option<Policy> {
    let access = Access {
        private: true,
        http: base.scheme() == "http",
    };
    let policy = Policy::bounded(PATIENCE, MOST_BYTES).allow_host_of(base, access);
    policy.check(base).is_ok().then_some(policy)
}

impl Login {
    fn headers(&self) -> Result<HeaderMap, UpstreamError> {
        let token = self.token.as_ref();
        let token = token.map(|token| (AUTHORIZATION, "token", format!("Bearer {token}")));
        let basic = self.basic.as_ref().map(|basic| STANDARD.encode(basic));
        let basic = basic.map(|basic| (AUTHORIZATION, "password", format!("Basic {basic}")));
        let tenant = self.tenant.clone();
        let tenant = tenant.map(|tenant| (TENANT, "tenant", tenant));
        let headers = token.or(basic).into_iter().chain(tenant);
        let secret = |(name, what, value): (HeaderName, _, String)| {
            let value = secret_header(&value).map_err(|_| UpstreamError::Header(what))?;
            Ok((name, value))
        };
        headers.map(secret).collect()
    }
}

/// Returns the reason of an error answer: `{"status": "error", "errorType": "bad_data", "error": ".."}`.
fn reason_of(document: &Value) -> Option<String> {
    let error = document.get("error")?.as_str()?;
    let kind = document.get("errorType").and_then(Value::as_str);
    Some(kind.map_or(error.to_owned(), |kind| format!("{kind}: {error}")))
}

/// Writes an error with its chain of causes.
fn chain_of(error: &Error) -> String {
    let all = std::iter::successors(Some(error as &dyn std::error::Error), |one| one.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(address: &str) -> Result<Upstream, UpstreamError> {
        tarsy_telemetry::install_crypto();
        let login = Login {
            token: Some("t0ken".to_owned()),
            ..Login::default()
        };
        Upstream::new("prometheus", address, &login)
    }

    #[test]
    fn a_redirect_takes_the_login_to_no_other_place() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let upstream = upstream("https://prometheus.example/select").expect("an upstream");
        let login_for = only_to(&upstream.base, &upstream.headers);
        assert_eq!(login_for(&url("https://prometheus.example/x")).len(), 1);
        let policy = policy_of(&url("https://prometheus.example/select")).expect("a policy");
        for elsewhere in [
            "http://prometheus.example/x",
            "https://prometheus.example:8443/x",
            "https://example/x",
        ] {
            assert!(policy.check(&url(elsewhere)).is_err(), "{elsewhere}");
            assert!(login_for(&url(elsewhere)).is_empty(), "{elsewhere}");
        }
    }

    #[test]
    fn an_address_without_host_or_with_a_login_is_refused() {
        for address in [
            "prometheus:9090",
            "ftp://x",
            "http://me:pw@prometheus:9090",
            "",
        ] {
            let error = upstream(address).expect_err(address).to_string();
            assert!(!error.contains("pw@"), "{error}");
        }
        for address in [
            "http://10.0.0.7:9090",
            "http://prometheus.monitoring:9090/x/",
        ] {
            assert!(upstream(address).is_ok(), "{address}");
        }
    }
}
