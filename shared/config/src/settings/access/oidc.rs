//! OIDC tokens of an identity provider.

use std::collections::BTreeMap;

use tarsy_model::Role;

use super::super::reader::Reader;
use super::list;
use super::oidc_sign_in::{OidcSignInSettings, is_safe};

/// Which tokens are accepted, and what their holders may do.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    /// `TARSY_OIDC_ISSUER`: the `iss` of every token.
    pub issuer: String,
    /// `TARSY_OIDC_AUDIENCE`: a token is accepted only if its `aud` contains one of these. The list may be empty if
    /// browsers sign in; then no token is accepted.
    pub audience: Vec<String>,
    /// `TARSY_OIDC_JWKS_URL`: URL of the issuer's public keys. Default: the one in
    /// `<issuer>/.well-known/openid-configuration`.
    pub jwks_url: Option<String>,
    /// `TARSY_OIDC_HEADER`: header in which an identity proxy passes the token, in addition to `Authorization`.
    /// Default: none.
    pub header: Option<String>,
    /// `TARSY_OIDC_NAME_CLAIM`: claim with the person's name in the audit log. Default `email`; `sub` if that is
    /// missing.
    pub name_claim: String,
    /// `TARSY_OIDC_ROLE_CLAIM`: claim with the person's roles or groups, a text or a list. Dots lead into objects.
    /// Default `roles`.
    pub role_claim: String,
    /// `TARSY_OIDC_ROLES`: role for each value of the claim. Default: the names of the roles themselves.
    pub roles: BTreeMap<String, Role>,
    /// Settings for the sign-in of browsers; `None`: they sign in with keys only.
    pub sign_in: Option<OidcSignInSettings>,
}

impl OidcSettings {
    /// Reads the settings. Returns `None` if no issuer is set.
    pub(super) fn read(reader: &mut Reader<'_>, public_url: Option<&str>) -> Option<Self> {
        let issuer = address(
            reader,
            "TARSY_OIDC_ISSUER",
            "issuer of users' tokens, e.g. `https://sso.example/realms/sre`",
        );
        let audience = list(
            reader,
            "TARSY_OIDC_AUDIENCE",
            "accepted audiences, comma-separated",
        );
        let jwks_url = address(
            reader,
            "TARSY_OIDC_JWKS_URL",
            "JWKS URL of the issuer; default: from its discovery document",
        );
        let header = reader.text(
            "TARSY_OIDC_HEADER",
            "",
            "header with the token from an identity proxy, e.g. `X-Forwarded-Access-Token`",
        );
        let mut word = |name, default: &str, meaning| {
            let text = reader.text(name, default, meaning);
            text.unwrap_or(default).to_owned()
        };
        let name_claim = word(
            "TARSY_OIDC_NAME_CLAIM",
            "email",
            "claim with the user's name; falls back to `sub`",
        );
        let role_claim = word(
            "TARSY_OIDC_ROLE_CLAIM",
            "roles",
            "claim with the user's roles, e.g. `realm_access.roles`",
        );
        let roles = roles(reader);
        let sign_in = OidcSignInSettings::read(reader, public_url);
        if sign_in.is_some() && issuer.is_none() {
            reader.problem(
                "`TARSY_OIDC_CLIENT_ID` without `TARSY_OIDC_ISSUER`".to_owned(),
                "set the issuer that people sign in at",
            );
        }
        let issuer = issuer?;
        if audience.is_empty() && sign_in.is_none() {
            reader.problem(
                "`TARSY_OIDC_ISSUER` without `TARSY_OIDC_AUDIENCE`".to_owned(),
                "set the audience: otherwise tokens for other services would be accepted",
            );
        }
        Some(Self {
            issuer,
            audience,
            jwks_url,
            header: header.map(str::to_ascii_lowercase),
            name_claim,
            role_claim,
            roles,
            sign_in,
        })
    }
}

/// Reads an https URL, or an http URL on this machine. Keys that were fetched over an unencrypted connection prove
/// nothing.
fn address(reader: &mut Reader<'_>, name: &'static str, meaning: &'static str) -> Option<String> {
    let text = reader.text(name, "", meaning)?;
    if !is_safe(text) {
        reader.problem(
            format!("`{name}` is not an https URL"),
            "http is only allowed for a loopback address",
        );
        return None;
    }
    Some(text.to_owned())
}

/// Reads `group=role,group=role`.
fn roles(reader: &mut Reader<'_>) -> BTreeMap<String, Role> {
    const NAME: &str = "TARSY_OIDC_ROLES";
    let pairs = list(
        reader,
        NAME,
        "role of each value of the claim, e.g. `sre=operator,leads=admin`; default: the roles' words",
    );
    if pairs.is_empty() {
        return Role::ALL
            .into_iter()
            .map(|role| (role.as_str().to_owned(), role))
            .collect();
    }
    let mut roles = BTreeMap::new();
    for pair in pairs {
        let parsed = pair
            .rsplit_once('=')
            .and_then(|(value, role)| Some((value.trim().to_owned(), role.trim().parse().ok()?)));
        match parsed {
            Some((value, role)) if !value.is_empty() => {
                roles.insert(value, role);
            }
            _ => reader.problem(
                format!("`{NAME}`: invalid entry; expected `value=role`"),
                "roles are ingest, viewer, operator and admin",
            ),
        }
    }
    roles
}
