//! The authorization server: configured, or discovered from a 401 response.

use rmcp::transport::auth::AuthorizationManager;
use serde_json::Value;
use tarsy_egress::Access;
use url::{Host, Url};

use super::{AuthFailure, Challenge};

/// An authorization server, from which tokens come.
pub(super) struct Issuer {
    pub(super) token_url: Url,
    /// Audience of signed assertions.
    pub(super) audience: String,
    /// Whether the server accepts a secret only in the body, not as HTTP Basic.
    pub(super) only_post: bool,
    /// Addresses that may be used in addition to https at public addresses.
    pub(super) access: Access,
    discovered: bool,
}

/// An authorization server, and the scopes named by the refusal or the server's metadata.
pub(super) struct Found {
    pub(super) issuer: Issuer,
    pub(super) scopes: Vec<String>,
}

impl Issuer {
    /// Creates the issuer that the operator configured. It may be at a private address. Without TLS, it must be on this
    /// host.
    pub(super) fn named(token_url: &str) -> Result<Self, String> {
        let url = tarsy_egress::parse_url(token_url).map_err(|error| error.to_string())?;
        if url.scheme() != "https" && !is_loopback(&url) {
            return Err("its token URL is not https".to_owned());
        }
        Ok(Self {
            audience: token_url.to_owned(),
            only_post: false,
            access: Access {
                private: true,
                http: true,
            },
            discovered: false,
            token_url: url,
        })
    }

    pub(super) const fn is_discovered(&self) -> bool {
        self.discovered
    }
}

/// Discovers the authorization server from the refusal. Reads the protected resource metadata, then the metadata of the
/// authorization server named there.
pub(super) async fn discover(server: &Url, challenge: &Challenge) -> Result<Found, AuthFailure> {
    let mut manager = AuthorizationManager::new(server.clone())
        .await
        .map_err(AuthFailure::discovery)?;
    let resolved = manager
        .resolve_metadata_from_challenge(challenge.header())
        .await
        .map_err(AuthFailure::discovery)?;
    if !resolved.source.is_discovered() {
        return Err(AuthFailure::NoAuthorizationServer);
    }
    let metadata = resolved.metadata;
    let token_url = tarsy_egress::parse_url(&metadata.token_endpoint)
        .map_err(|source| AuthFailure::TokenUrl { source })?;
    // A server may name any host. It may name one on this host only if it is on this host, too.
    let local = is_loopback(server) && is_loopback(&token_url);
    let issuer = Issuer {
        audience: metadata
            .issuer
            .clone()
            .unwrap_or_else(|| metadata.token_endpoint.clone()),
        only_post: only_post(
            metadata
                .additional_fields
                .get("token_endpoint_auth_methods_supported"),
        ),
        access: Access {
            private: local,
            http: local,
        },
        discovered: true,
        token_url,
    };
    manager.set_metadata(metadata);
    let mut scopes = manager.select_initial_scopes(&[]).await;
    // This scope is for refresh tokens, which this grant never gets.
    scopes.retain(|scope| scope != "offline_access");
    Ok(Found { issuer, scopes })
}

/// Whether a secret must be sent in the body. Every authorization server accepts Basic (RFC 6749 §2.3.1) unless its
/// metadata lists only other methods.
fn only_post(methods: Option<&Value>) -> bool {
    let has = |method: &str| {
        let methods = methods.and_then(Value::as_array);
        methods.is_some_and(|methods| methods.iter().any(|m| m.as_str() == Some(method)))
    };
    has("client_secret_post") && !has("client_secret_basic")
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            name.eq_ignore_ascii_case("localhost") || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
