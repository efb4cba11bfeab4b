//! Sign-ins at a provider whose answers are wrong.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::browser::{Browser, CALLBACK, PUBLIC, parameter, reason};
use super::provider::{Provider, claims};
use crate::server::Server;

async fn server(provider: &Provider) -> Server {
    let issuer = provider.issuer();
    Server::guarded(&[
        ("TARSY_OIDC_ISSUER", issuer.as_str()),
        ("TARSY_OIDC_CLIENT_ID", "tarsy"),
        ("TARSY_OIDC_CLIENT_SECRET", "a secret:of/a test"),
        ("TARSY_OIDC_ROLE_CLAIM", "realm_access.roles"),
        ("TARSY_OIDC_ROLES", "sre=operator"),
        ("TARSY_PUBLIC_URL", PUBLIC),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ])
    .await
}

/// Signs in with a provider that returns this ID token, which is built from the requested nonce.
/// Returns the page that opens.
async fn page(
    server: &Server,
    provider: &Provider,
    id_token: impl FnOnce(String) -> String,
) -> String {
    let mut browser = Browser::new(server);
    let sign_in = browser.start("/dashboard/").await;
    let id_token = id_token(parameter(&sign_in, "nonce"));
    provider.answer_code_with(
        200,
        json!({"access_token": "a", "token_type": "Bearer", "id_token": id_token}),
    );
    browser.open(&back(&sign_in, "")).await
}

/// Returns the address that the provider sends the browser back to.
fn back(sign_in: &Url, more: &str) -> String {
    format!(
        "{CALLBACK}?code=c&state={}{more}",
        parameter(sign_in, "state")
    )
}

#[tokio::test]
async fn the_code_is_exchanged_with_the_verifier_the_secret_and_the_same_redirect_uri() {
    let provider = Provider::start().await;
    let server = server(&provider).await;
    let mut browser = Browser::new(&server);
    let sign_in = browser.start("/dashboard/").await;
    let nonce = parameter(&sign_in, "nonce");
    let token = provider.token(&claims(&provider, json!({"nonce": nonce, "azp": "tarsy"})));
    provider.answer_code_with(
        200,
        json!({"access_token": "a", "token_type": "bearer", "id_token": token}),
    );
    let page = browser.open(&back(&sign_in, "")).await;
    assert_eq!(page, format!("{PUBLIC}/dashboard/"));
    let me = browser.me().await.body;
    assert_eq!(
        (&me["name"], &me["role"]),
        (&json!("ada@example.org"), &json!("operator"))
    );

    let (authorization, form) = provider.code_request();
    let credentials = authorization.strip_prefix("Basic ").unwrap();
    let credentials = base64::engine::general_purpose::STANDARD
        .decode(credentials)
        .unwrap();
    assert_eq!(credentials, b"tarsy:a+secret%3Aof%2Fa+test");
    assert_eq!((&*form["redirect_uri"], &*form["code"]), (CALLBACK, "c"));
    let challenge = BASE64.encode(Sha256::digest(&form["code_verifier"]));
    assert_eq!(challenge, parameter(&sign_in, "code_challenge"));
}

#[tokio::test]
async fn an_id_token_that_is_not_of_this_sign_in_opens_nothing() {
    let provider = Provider::start().await;
    let server = server(&provider).await;
    let now = chrono::Utc::now().timestamp();
    let wrong: [(&str, Value); 10] = [
        ("invalid", json!({"nonce": "another"})),
        ("invalid", json!({"nonce": null})),
        ("invalid", json!({"nonce": ["x"]})),
        ("invalid", json!({"aud": "grafana"})),
        (
            "invalid",
            json!({"aud": ["tarsy", "grafana"], "azp": "grafana"}),
        ),
        ("invalid", json!({"iss": "https://evil.example"})),
        ("invalid", json!({"sub": null})),
        ("clock", json!({"exp": now - 120})),
        ("clock", json!({"nbf": now + 120})),
        ("no_role", json!({"realm_access": {"roles": ["staff"]}})),
    ];
    for (code, change) in wrong {
        let page = page(&server, &provider, |nonce| {
            let mut changed = json!({"nonce": nonce});
            for (name, value) in change.as_object().unwrap() {
                changed[name] = value.clone();
            }
            provider.token(&claims(&provider, changed))
        });
        assert_eq!(reason(&page.await), code, "{change}");
    }
    let stranger = Provider::start().await;
    let signed_by_others = page(&server, &provider, |nonce| {
        stranger.token(&claims(&provider, json!({"nonce": nonce})))
    });
    assert_eq!(reason(&signed_by_others.await), "invalid");
    let unsigned = page(&server, &provider, |nonce| {
        let header = json!({"alg": "none", "kid": "1"});
        provider.token_of_header(&header, &claims(&provider, json!({"nonce": nonce})))
    });
    assert_eq!(reason(&unsigned.await), "invalid");
    let by_secret = page(&server, &provider, |nonce| {
        provider.token_by_secret(&claims(&provider, json!({"nonce": nonce})))
    });
    assert_eq!(reason(&by_secret.await), "invalid");
    assert_eq!(server.count("browser_sessions").await, 0);
    let good = page(&server, &provider, |nonce| {
        provider.token(&claims(&provider, json!({"nonce": nonce})))
    });
    assert_eq!(good.await, format!("{PUBLIC}/dashboard/"));
}

#[tokio::test]
async fn errors_and_answers_of_another_issuer_are_distinguished() {
    let provider = Provider::start().await;
    let server = server(&provider).await;
    let mut browser = Browser::new(&server);
    for (status, body, code) in [
        (401, json!({"error": "invalid_client"}), "client"),
        (400, json!({"error": "invalid_grant"}), "code"),
        (400, json!({"error": "<script>"}), "refused"),
        (500, json!("oops"), "invalid"),
        (
            200,
            json!({"access_token": "a", "token_type": "Bearer"}),
            "invalid",
        ),
    ] {
        let sign_in = browser.start("/dashboard/").await;
        provider.answer_code_with(status, body);
        assert_eq!(reason(&browser.open(&back(&sign_in, "")).await), code);
    }
    let sign_in = browser.start("/dashboard/").await;
    let page = browser
        .open(&back(&sign_in, "&iss=https://evil.example"))
        .await;
    assert_eq!(reason(&page), "invalid");
    let sign_in = browser.start("/dashboard/").await;
    let state = parameter(&sign_in, "state");
    let page = browser
        .open(&format!("{CALLBACK}?error=login_required&state={state}"))
        .await;
    assert_eq!(reason(&page), "refused");
}
