//! Checks of the identity provider.

use serde_json::Value;
use tarsy_config::settings::{OidcSettings, OidcSignInSettings};

use super::Check;
use super::surroundings::get;

const AREA: &str = "sign-in";

/// Checks that the issuer responds, has the configured name, and offers everything that a sign-in needs.
pub(crate) async fn issuer(oidc: &OidcSettings) -> Vec<Check> {
    let document = match discovery(oidc).await {
        Ok(document) => document,
        Err(check) => return vec![check],
    };
    let issuer = oidc.issuer.trim_end_matches('/');
    let answers = Check::ok(AREA, format!("the issuer {issuer} answers"));
    let sign_in = oidc.sign_in.as_ref();
    let offered = sign_in.map(|sign_in| offered(&document, issuer, sign_in));
    [answers].into_iter().chain(offered).collect()
}

async fn discovery(oidc: &OidcSettings) -> Result<Value, Check> {
    let issuer = oidc.issuer.trim_end_matches('/');
    let away = match get(&format!("{issuer}/.well-known/openid-configuration")).await {
        Ok((status, body)) if status.is_success() => {
            let document = serde_json::from_str::<Value>(&body).unwrap_or_default();
            let named = document["issuer"].as_str().unwrap_or("nothing");
            if named == oidc.issuer {
                return Ok(document);
            }
            let finding = format!("the issuer calls itself {named}, not {}", oidc.issuer);
            let fix = "set TARSY_OIDC_ISSUER to what its discovery document says, letter by letter";
            return Err(Check::failure(AREA, finding, fix));
        }
        Ok((status, _)) => format!("the issuer {issuer} answers {status}"),
        Err(error) => format!("the issuer {issuer} is unreachable: {error}"),
    };
    let fix = "correct TARSY_OIDC_ISSUER, or open the way to it: sign-in there fails until then";
    Err(Check::failure(AREA, away, fix))
}

/// Checks that the issuer offers everything that the dashboard's sign-in needs.
fn offered(document: &Value, issuer: &str, sign_in: &OidcSignInSettings) -> Check {
    let lacks = |text: &str| {
        let fix = "let people sign in with keys, or ask another issuer";
        Check::failure(AREA, format!("the issuer {issuer} {text}"), fix)
    };
    let is_listed = |list: &str, wanted: &str| {
        let listed = document[list].as_array()?;
        Some(listed.iter().any(|one| one == wanted))
    };
    for endpoint in ["authorization_endpoint", "token_endpoint"] {
        let url = document[endpoint].as_str().unwrap_or_default();
        let is_safe = url.starts_with("https://") || issuer.starts_with("http://");
        if url.is_empty() || !is_safe {
            return lacks(&format!("has no https `{endpoint}`"));
        }
    }
    if is_listed("response_types_supported", "code") == Some(false) {
        return lacks("does not offer the authorization code flow");
    }
    if is_listed("code_challenge_methods_supported", "S256") == Some(false) {
        return lacks("does not offer PKCE with S256");
    }
    let finding = format!(
        "people sign in as client `{}`; its redirect URI is {}",
        sign_in.client_id,
        sign_in.redirect_uri()
    );
    let scopes = sign_in.scopes.iter().map(String::as_str);
    let unknown = scopes.filter(|scope| is_listed("scopes_supported", scope) == Some(false));
    let unknown = unknown.collect::<Vec<_>>().join(", ");
    if !unknown.is_empty() {
        let finding = format!("{finding}; the issuer does not list the scopes {unknown}");
        let fix = "correct TARSY_OIDC_SCOPES if people can't sign in or have no role";
        return Check::warning(AREA, finding, fix);
    }
    Check::ok(AREA, finding)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::doctor::Verdict;

    #[test]
    fn what_a_sign_in_needs_is_checked() {
        let sign_in = OidcSignInSettings {
            client_id: "tarsy".to_owned(),
            client_secret: None,
            scopes: vec!["openid".to_owned(), "groups".to_owned()],
            name: "Example".to_owned(),
            public_url: "https://tarsy.example/ops".to_owned(),
        };
        let good = json!({
            "authorization_endpoint": "https://sso.example/auth", "token_endpoint": "https://sso.example/token",
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        });
        let check = |name: &str, value: Value| {
            let mut document = good.clone();
            document[name] = value;
            offered(&document, "https://sso.example", &sign_in)
        };
        let fine = check("scopes_supported", json!(["groups", "openid"]));
        let redirect = "https://tarsy.example/ops/api/v1/sign-in/oidc/callback";
        assert_eq!(fine.verdict, Verdict::Ok);
        assert!(fine.finding.contains(redirect), "{}", fine.finding);
        for (name, value, verdict) in [
            ("token_endpoint", json!(null), Verdict::Failure),
            (
                "token_endpoint",
                json!("http://sso.example/token"),
                Verdict::Failure,
            ),
            (
                "response_types_supported",
                json!(["id_token"]),
                Verdict::Failure,
            ),
            (
                "code_challenge_methods_supported",
                json!(["plain"]),
                Verdict::Failure,
            ),
            ("scopes_supported", json!(["openid"]), Verdict::Warning),
        ] {
            assert_eq!(
                check(name, value.clone()).verdict,
                verdict,
                "{name}: {value}"
            );
        }
    }
}
