//! Sign-in of browsers at the identity provider.

use url::Url;

use super::super::reader::Reader;
use super::list;
use crate::Secret;

/// How tarsy asks the issuer to sign a person in (authorization code with PKCE).
#[derive(Clone, Debug)]
pub struct OidcSignInSettings {
    /// `TARSY_OIDC_CLIENT_ID`: client id of tarsy at the issuer. Default: none; then browsers sign in with keys only.
    pub client_id: String,
    /// `TARSY_OIDC_CLIENT_SECRET`: secret of that client. Default: none, for a public client.
    pub client_secret: Option<Secret>,
    /// `TARSY_OIDC_SCOPES`: scopes to request. Default `openid profile email`.
    pub scopes: Vec<String>,
    /// `TARSY_OIDC_NAME`: name of the issuer on the sign-in button. Default `single sign-on`.
    pub name: String,
    /// `TARSY_PUBLIC_URL`: base URL to which browsers are sent back, at `/api/v1/sign-in/oidc/callback`.
    pub public_url: String,
}

impl OidcSignInSettings {
    /// Reads the settings. Returns `None` if no client is set.
    pub(super) fn read(reader: &mut Reader<'_>, public_url: Option<&str>) -> Option<Self> {
        const ID: &str = "TARSY_OIDC_CLIENT_ID";
        const USUAL_SCOPES: &str = "openid,profile,email";
        const USUAL_NAME: &str = "single sign-on";
        let client_id = reader.text(
            ID,
            "",
            "client of the issuer that the dashboard signs people in with; default: sign-in by keys alone",
        );
        let client_secret = reader.text(
            "TARSY_OIDC_CLIENT_SECRET",
            "",
            "secret of that client; none for a public client",
        );
        let mut scopes = list(
            reader,
            "TARSY_OIDC_SCOPES",
            "scopes that are asked for, comma-separated; default `openid,profile,email`",
        );
        let name = reader.text(
            "TARSY_OIDC_NAME",
            USUAL_NAME,
            "what the button of the sign-in calls the issuer: `Sign in with ..`",
        );
        let client_id = client_id?;
        if scopes.is_empty() {
            scopes = USUAL_SCOPES.split(',').map(str::to_owned).collect();
        }
        if !scopes.iter().any(|scope| scope == "openid") {
            reader.problem(
                "`TARSY_OIDC_SCOPES` lacks `openid`".to_owned(),
                "add it: without it the issuer sends no ID token",
            );
        }
        let Some(public_url) = public_url else {
            reader.problem(
                format!("`{ID}` without `TARSY_PUBLIC_URL`"),
                "set it to the address of the dashboard: the issuer sends browsers back to it",
            );
            return None;
        };
        if !is_safe(public_url) {
            reader.problem(
                format!("`TARSY_PUBLIC_URL` is not https, and `{ID}` is set"),
                "http is only allowed for a loopback address",
            );
        }
        Some(Self {
            client_id: client_id.to_owned(),
            client_secret: client_secret.map(Secret::new),
            scopes,
            name: name.unwrap_or(USUAL_NAME).to_owned(),
            public_url: public_url.to_owned(),
        })
    }

    /// Returns the URL to which the issuer sends browsers back. Exactly this URL must be registered at the issuer.
    #[must_use]
    pub fn redirect_uri(&self) -> String {
        format!("{}/api/v1/sign-in/oidc/callback", self.public_url)
    }

    /// Whether browsers use https.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// Whether the address is https, or http on this machine. A code that arrives over an unencrypted connection may be
/// someone else's.
pub(super) fn is_safe(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| match url.scheme() {
        "https" => url.has_host(),
        "http" => matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")),
        _ => false,
    })
}
