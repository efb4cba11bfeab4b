//! Tokens of people from an identity provider.

mod browser;
mod certified;
mod id_tokens;
mod provider;
mod sign_in;

use reqwest::StatusCode;
use serde_json::{Value, json};

use self::provider::{Provider, claims};
use crate::server::{Answer, Server};

/// Starts a server that accepts tokens of `provider`, with more variables.
async fn server(provider: &Provider, variables: &[(&str, &str)]) -> Server {
    let issuer = provider.issuer();
    let settings = [
        ("TARSY_OIDC_ISSUER", issuer.as_str()),
        ("TARSY_OIDC_AUDIENCE", "tarsy"),
        ("TARSY_OIDC_ROLE_CLAIM", "realm_access.roles"),
        ("TARSY_OIDC_ROLES", "sre=operator, staff=viewer"),
        ("TARSY_OIDC_HEADER", "X-Forwarded-Access-Token"),
    ];
    Server::guarded(&[&settings, variables].concat()).await
}

async fn me(server: &Server, token: &str) -> Answer {
    server.get_as(token, "/api/v1/me").await
}

#[tokio::test]
async fn a_token_names_the_caller_and_its_groups_decide_what_they_may_do() {
    let provider = Provider::start().await;
    let server = server(&provider, &[]).await;
    let token = provider.token(&claims(&provider, json!({})));
    let ada = json!({"name": "ada@example.org", "role": "operator", "auth": "oidc"});
    assert_eq!(me(&server, &token).await.body, ada);
    let forwarded = [("x-forwarded-access-token", token.as_str())];
    assert_eq!(server.get_with("/api/v1/me", &forwarded).await.body, ada);
    assert_eq!(provider.fetches(), 1, "keys are kept");

    let staff = json!({"realm_access": {"roles": ["staff"]}});
    let viewer = provider.token(&claims(&provider, staff));
    let refused = server.post_as(&viewer, "/alerts", &json!({})).await;
    assert_eq!(
        (refused.status, &refused.body["needed_role"]),
        (StatusCode::FORBIDDEN, &json!("ingest"))
    );
    let unmapped = json!({"realm_access": {"roles": ["admin"]}});
    let unmapped = provider.token(&claims(&provider, unmapped));
    assert_eq!(me(&server, &unmapped).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_token_that_is_not_for_us_from_them_and_now_opens_nothing() {
    let provider = Provider::start().await;
    let server = server(&provider, &[]).await;
    let now = chrono::Utc::now().timestamp();
    let wrong: [(&str, Value); 9] = [
        ("has expired", json!({"exp": now - 120})),
        ("lacks", json!({"exp": null})),
        ("invalid token", json!({"exp": "9999999999"})),
        ("is not valid yet", json!({"nbf": now + 120})),
        ("invalid token", json!({"nbf": "soon"})),
        ("wrong audience", json!({"aud": "grafana"})),
        ("lacks", json!({"aud": null})),
        ("wrong issuer", json!({"iss": "https://evil.example"})),
        ("no subject", json!({"email": null, "sub": null})),
    ];
    for (reason, change) in wrong {
        let token = provider.token(&claims(&provider, change.clone()));
        let answer = me(&server, &token).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{change}");
        let detail = answer.body["detail"].as_str().unwrap();
        let is_named = detail.contains(reason) || detail.contains("lacks");
        assert!(is_named, "{change}: {detail}");
    }
    let accepted = claims(
        &provider,
        json!({"aud": ["other", "tarsy"], "exp": now - 30}),
    );
    let token = provider.token(&accepted);
    assert_eq!(me(&server, &token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn only_the_issuers_signatures_count() {
    let provider = Provider::start().await;
    let server = server(&provider, &[]).await;
    let good = claims(&provider, json!({}));
    let token = provider.token(&good);
    let (head, signature) = token.rsplit_once('.').unwrap();
    let flipped: String = signature.chars().rev().collect();
    let stranger = Provider::start().await;
    for (what, token) in [
        ("another signature", format!("{head}.{flipped}")),
        ("no signature", format!("{head}.")),
        (
            "the public key as a secret",
            provider.token_by_secret(&good),
        ),
        (
            "no algorithm",
            provider.token_of_header(&json!({"alg": "none", "kid": "1"}), &good),
        ),
        ("a key of somebody else", stranger.token(&good)),
        (
            "a critical extension",
            provider.token_of_header(&json!({"alg": "ES256", "kid": "1", "crit": ["b64"]}), &good),
        ),
    ] {
        assert_eq!(
            me(&server, &token).await.status,
            StatusCode::UNAUTHORIZED,
            "{what}"
        );
    }
    assert_eq!(me(&server, &token).await.status, StatusCode::OK);
}

#[tokio::test]
async fn keys_change_without_any_request_being_refused() {
    let mut provider = Provider::start().await;
    let server = server(&provider, &[]).await;
    let old = provider.token(&claims(&provider, json!({})));
    assert_eq!(me(&server, &old).await.status, StatusCode::OK);
    provider.rotate();
    let new = provider.token(&claims(&provider, json!({})));
    assert_eq!(me(&server, &new).await.status, StatusCode::OK);
    assert_eq!(
        me(&server, &old).await.status,
        StatusCode::UNAUTHORIZED,
        "a key that was withdrawn"
    );
    // Unknown key ids must not cause requests to the issuer.
    let before = provider.fetches();
    for n in 0..20 {
        let header = json!({"alg": "ES256", "kid": format!("made up {n}")});
        let token = provider.token_of_header(&header, &claims(&provider, json!({})));
        assert_eq!(me(&server, &token).await.status, StatusCode::UNAUTHORIZED);
    }
    assert!(provider.fetches() <= before + 4, "{}", provider.fetches());
}

#[tokio::test]
async fn an_issuer_that_is_away_is_not_the_callers_fault() {
    let mut provider = Provider::start().await;
    let token = provider.token(&claims(&provider, json!({})));
    let server = server(&provider, &[]).await;
    provider.stop().await;
    let answer = me(&server, &token).await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (
            StatusCode::SERVICE_UNAVAILABLE,
            &json!("identity_provider_unavailable")
        )
    );
    let key = server.key("ada", tarsy_model::Role::Viewer).await;
    assert_eq!(me(&server, &key).await.status, StatusCode::OK);
}
