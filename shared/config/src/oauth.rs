//! OAuth client credentials for MCP servers.

use serde::Serialize;

use crate::Resolved;
use crate::fields::{Fields, Required, Text, Texts, Word, choice, section};

choice!(struct AuthType = ["oauth"]);

section! {
    /// OAuth client credentials.
    struct OAuthFields("Auth") any of client_secret, private_key {
        /// Type of the authorization.
        r#type: Required<Word<AuthType>>,
        /// Client ID at the authorization server.
        client_id: Required<Text>,
        /// Client secret.
        client_secret: Text,
        /// Private key (PEM, PKCS #8; EC P-256 or RSA) that signs client assertions, instead of `client_secret`.
        private_key: Text,
        /// Key ID of `private_key`, sent as `kid`.
        private_key_id: Text,
        /// Scopes to request. Default: the scopes that the server asks for.
        scopes: Texts,
        /// Token endpoint. Default: discovered from the server's 401 response.
        token_url: Text,
        /// Resource that tokens are for. Default: the server's `url`.
        resource: Text,
    }
}

/// `auth` of a server's `connection_params`: OAuth's client credentials grant.
#[derive(Clone, Debug, Serialize)]
pub struct OAuthConfig {
    /// Client id at the authorization server.
    pub client_id: Resolved,
    /// How the client authenticates.
    pub proof: OAuthProof,
    /// The only scopes to request. Empty: those that the server asks for.
    pub scopes: Vec<String>,
    /// The token endpoint. `None`: discovered from the server's 401 response.
    pub token_url: Option<Resolved>,
    /// The resource of the tokens. `None`: the server's `url`.
    pub resource: Option<Resolved>,
}

/// Credential with which a client authenticates. Only its template is shown.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OAuthProof {
    /// A shared secret.
    ClientSecret(Resolved),
    /// A private key that signs assertions.
    PrivateKey {
        /// The key, in PEM.
        pem: Resolved,
        /// Key id at the authorization server, sent as `kid`.
        id: Option<Resolved>,
    },
}

impl OAuthConfig {
    /// Reads `auth`.
    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let keys = OAuthFields::FIELDS;
        fields.require(keys.r#type, "set `type: oauth`");
        let client_id = fields.require(
            keys.client_id,
            "it is the client id at the authorization server",
        );
        let secret = fields.get(keys.client_secret);
        let key = fields.get(keys.private_key);
        let key_id = fields.get(keys.private_key_id);
        if fields.has(keys.private_key_id) && !fields.has(keys.private_key) {
            fields.problem(
                keys.private_key_id,
                "`private_key_id` requires `private_key`".to_owned(),
                "remove it if you use `client_secret`",
            );
        }
        let given = (fields.has(keys.client_secret), fields.has(keys.private_key));
        let hint = "set `client_secret`, or a `private_key` that signs assertions";
        match given {
            (true, true) => fields.contradiction(
                &[keys.client_secret.name(), keys.private_key.name()],
                "`client_secret` and `private_key` exclude each other".to_owned(),
                hint,
            ),
            (false, false) => fields.problem_here("`client_secret` is missing".to_owned(), hint),
            _ => {}
        }
        let scopes = fields.strings(keys.scopes).unwrap_or_default();
        let token_url = fields.url(keys.token_url, &["https", "http"]);
        let resource = fields.url(keys.resource, &["https", "http"]);
        if let Some(url) = &token_url
            && is_clear_text(url)
        {
            fields.problem(
                keys.token_url,
                "`token_url` is http, which sends the client secret in clear text".to_owned(),
                "use https; http is only allowed for a loopback address",
            );
        }
        let proof = match (secret, key) {
            (_, Some(key)) => OAuthProof::PrivateKey {
                pem: key.resolved.secret(),
                id: key_id.map(|id| id.resolved),
            },
            (Some(secret), None) => OAuthProof::ClientSecret(secret.resolved.secret()),
            (None, None) => return None,
        };
        Some(Self {
            client_id: client_id?.resolved,
            proof,
            scopes,
            token_url: token_url.map(|url| url.resolved),
            resource: resource.map(|url| url.resolved),
        })
    }
}

/// Whether the URL uses http to a host other than this one.
fn is_clear_text(url: &Text) -> bool {
    let Ok(url) = url::Url::parse(url.value()) else {
        // The template is not filled in yet.
        return false;
    };
    let local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !local
}
