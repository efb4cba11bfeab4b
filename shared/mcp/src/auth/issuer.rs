//! The authorization server: configured, or discovered from a 401 response.

use rmcp::transport::auth::AuthorizationManager;
use serde_json::Value;
use tarsy_egress::Access;
use url::{Host, Url};

use super::{AuthFailure, Challenge};

/// Where tokens come from.
pub(super) struct Issuer {
    pub(super) token_url: Url,
    /// Whom a signed assertion is for.
    pub(super) audience: String,
    /// Whether it says that it takes a secret in the body and not as HTTP Basic.
    pub(super) only_post: bool,
    /// What may be connected to beyond https at public addresses.
    pub(super) access: Access,
    discovered: bool,
}

/// An authorization server, and the scopes that the refusal or the server's metadata name.
pub(super) struct Found {
    pub(super) issuer: Issuer,
    pub(super) scopes: Vec<String>,
}

impl Issuer {
    /// One that the operator named: at a private address too, without TLS on this host alone.
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

/// Follow the trail from the refusal: protected resource metadata, then the metadata of the
/// authorization server that it names.
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
    // A server may name any host; what is inside is only for a server that is inside too.
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
    // For a refresh token, which this grant never has.
    scopes.retain(|scope| scope != "offline_access");
    Ok(Found { issuer, scopes })
}

/// Basic is what every authorization server takes (RFC 6749 §2.3.1), unless it says otherwise.
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
