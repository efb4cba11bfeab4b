//! Sign-in of browsers at a certified identity provider: authorization code with PKCE.

use reqwest::StatusCode;
use serde_json::json;

use super::browser::{Browser, CALLBACK, PUBLIC, parameter, reason};
use super::certified::Issuer;
use crate::server::Server;

const SECRET: (&str, &str) = ("TARSY_OIDC_CLIENT_SECRET", "a-secret-of-a-test");
const SIGN_IN: &str = "__Host-tarsy_sign_in";
const SESSION: &str = "__Host-tarsy_session";

async fn server(issuer: &Issuer, client: &str, variables: &[(&str, &str)]) -> Server {
    let settings = [
        ("TARSY_OIDC_ISSUER", issuer.url.as_str()),
        ("TARSY_OIDC_CLIENT_ID", client),
        ("TARSY_OIDC_ROLES", "sre=operator, staff=viewer"),
        ("TARSY_OIDC_NAME", "Example"),
        ("TARSY_PUBLIC_URL", PUBLIC),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ];
    Server::guarded(&[&settings, variables].concat()).await
}

#[tokio::test]
async fn a_person_signs_in_acts_under_their_name_and_signs_out_here_and_there() {
    let issuer = Issuer::start_for(&[CALLBACK]);
    let server = server(&issuer, "dashboard", &[SECRET]).await;
    let offered = server.get("/api/v1/sign-in-options").await.body;
    assert_eq!(offered, json!({"identity_provider": {"name": "Example"}}));
    let mut browser = Browser::new(&server);
    let provider = browser.start("/dashboard/fleet?state=failed#jobs").await;
    assert_eq!(parameter(&provider, "redirect_uri"), CALLBACK);
    assert_eq!(parameter(&provider, "code_challenge_method"), "S256");
    let kept = browser.set.join("\n");
    let wanted = "; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure";
    assert!(
        kept.starts_with(SIGN_IN) && kept.ends_with(wanted),
        "{kept}"
    );

    let back = browser.answer(&provider, "as/sre.ada").await;
    let page = browser.open(&back).await;
    assert_eq!(page, format!("{PUBLIC}/dashboard/fleet?state=failed#jobs"));
    assert!(!browser.service_cookies.contains_key(SIGN_IN), "it is used");
    let session = browser
        .set
        .iter()
        .find(|line| line.starts_with(SESSION))
        .unwrap();
    assert!(
        session.ends_with("; HttpOnly; SameSite=Strict; Secure"),
        "{session}"
    );
    let ada = json!({"name": "sre.ada@example.org", "role": "operator", "auth": "session"});
    assert_eq!(browser.me().await.body, ada);

    let paused = browser
        .post(
            "/api/v1/admin/queues/chain/pause",
            r#"{"reason": "a test"}"#,
        )
        .await;
    assert_eq!(paused.status, StatusCode::OK, "{:?}", paused.body);
    let audited: (String, String, Option<uuid::Uuid>) =
        sqlx::query_as("select actor, means, key_id from audit_log")
            .fetch_one(server.db())
            .await
            .unwrap();
    assert_eq!(
        audited,
        ("sre.ada@example.org".to_owned(), "oidc".to_owned(), None)
    );

    let signed_out = browser.post("/api/v1/sign-out", "").await;
    let there = signed_out.body["provider_sign_out_url"].as_str().unwrap();
    let there = url::Url::parse(there).unwrap();
    assert!(there.as_str().starts_with(&issuer.url), "{there}");
    let home = format!("{PUBLIC}/dashboard/");
    assert_eq!(parameter(&there, "post_logout_redirect_uri"), home);
    assert_eq!(browser.me().await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn groups_decide_the_role_and_a_person_without_one_gets_the_reason() {
    let issuer = Issuer::start_for(&[CALLBACK]);
    let server = server(&issuer, "dashboard.public", &[]).await;
    let mut staff = Browser::new(&server);
    assert_eq!(
        staff.sign_in("staff.ada").await,
        format!("{PUBLIC}/dashboard/fleet")
    );
    assert_eq!(staff.me().await.body["role"], "viewer");
    let mut stranger = Browser::new(&server);
    let page = stranger.sign_in("strangers.ada").await;
    assert_eq!(
        page,
        format!("{PUBLIC}/dashboard/fleet?sign_in_failed=no_role")
    );
    let mut unwilling = Browser::new(&server);
    let provider = unwilling.start("").await;
    let back = unwilling.answer(&provider, "deny").await;
    assert_eq!(reason(&unwilling.open(&back).await), "denied");
    for browser in [stranger, unwilling] {
        assert!(
            browser.service_cookies.is_empty(),
            "{:?}",
            browser.service_cookies
        );
    }
    assert_eq!(server.count("browser_sessions").await, 1);
}

#[tokio::test]
async fn an_answer_opens_nothing_in_another_browser_or_a_second_time() {
    let issuer = Issuer::start_for(&[CALLBACK]);
    let server = server(&issuer, "dashboard", &[SECRET]).await;
    let mut mallory = Browser::new(&server);
    let provider = mallory.start("/dashboard/").await;
    let back = mallory.answer(&provider, "as/sre.mallory").await;

    // The victim opens the attacker's link, first without a sign-in and then during one.
    let mut victim = Browser::new(&server);
    assert_eq!(reason(&victim.open(&back).await), "stale");
    victim.start("/dashboard/").await;
    assert_eq!(reason(&victim.open(&back).await), "stale");
    assert!(
        victim.service_cookies.contains_key(SIGN_IN),
        "their own sign-in goes on"
    );

    let kept = mallory.service_cookies[SIGN_IN].clone();
    let tampered = kept.replacen(&kept[..1], if kept.starts_with('A') { "B" } else { "A" }, 1);
    for cookie in [tampered.as_str(), "", "a.b.c", "..", "%%%"] {
        mallory
            .service_cookies
            .insert(SIGN_IN.to_owned(), cookie.to_owned());
        assert_eq!(reason(&mallory.open(&back).await), "stale", "{cookie}");
    }
    for url in [
        CALLBACK.to_owned(),
        format!("{CALLBACK}?code=x"),
        format!("{CALLBACK}?state="),
    ] {
        mallory
            .service_cookies
            .insert(SIGN_IN.to_owned(), kept.clone());
        assert_eq!(reason(&mallory.open(&url).await), "stale", "{url}");
    }
    assert_eq!(server.count("browser_sessions").await, 0);

    mallory.open(&back).await;
    assert_eq!(mallory.me().await.status, StatusCode::OK);
    mallory.service_cookies.clear();
    mallory.service_cookies.insert(SIGN_IN.to_owned(), kept);
    assert_eq!(
        reason(&mallory.open(&back).await),
        "code",
        "the code is used"
    );
    assert!(mallory.service_cookies.is_empty());
}

#[tokio::test]
async fn no_page_of_another_origin_is_opened_afterwards() {
    let issuer = Issuer::start_for(&[CALLBACK]);
    let server = server(&issuer, "dashboard.public", &[]).await;
    for path in [
        "//evil.example/dashboard/",
        "https://evil.example/",
        "/../../api/v1/me",
    ] {
        let mut browser = Browser::new(&server);
        let provider = browser.start(path).await;
        let back = browser.answer(&provider, "as/staff.ada").await;
        assert_eq!(
            browser.open(&back).await,
            format!("{PUBLIC}/dashboard/"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_wrong_secret_and_a_provider_that_is_away_are_reported() {
    let mut issuer = Issuer::start_for(&[CALLBACK]);
    let wrong = ("TARSY_OIDC_CLIENT_SECRET", "wrong");
    let server = server(&issuer, "dashboard", &[wrong]).await;
    let mut browser = Browser::new(&server);
    assert_eq!(reason(&browser.sign_in("sre.ada").await), "client");
    let mut browser = Browser::new(&server);
    let provider = browser.start("/dashboard/").await;
    let back = browser.answer(&provider, "as/sre.ada").await;
    issuer.stop();
    assert_eq!(reason(&browser.open(&back).await), "unavailable");
    // This server has not read the issuer's documents yet.
    let server = self::server(&issuer, "dashboard", &[SECRET]).await;
    let mut browser = Browser::new(&server);
    let page = browser.start("/dashboard/usage").await;
    assert_eq!(
        page.as_str(),
        format!("{PUBLIC}/dashboard/usage?sign_in_failed=unavailable")
    );
}

#[tokio::test]
async fn without_a_client_there_is_no_sign_in_and_sessions_of_people_end_with_it() {
    let server = Server::guarded(&[]).await;
    let offered = server.get("/api/v1/sign-in-options").await.body;
    assert_eq!(offered, json!({"identity_provider": null}));
    for path in ["/api/v1/sign-in/oidc", "/api/v1/sign-in/oidc/callback"] {
        assert_eq!(server.get(path).await.status, StatusCode::NOT_FOUND);
    }
    let issuer = Issuer::start_for(&[CALLBACK]);
    let before = self::server(&issuer, "dashboard", &[SECRET]).await;
    let mut browser = Browser::new(&before);
    browser.sign_in("sre.ada").await;
    let row = "insert into browser_sessions (browser_session_id, hash, expires_at_us, name, role) values ($1, $2, $3, $4, $5)";
    let kept: (uuid::Uuid, Vec<u8>, i64, String, String) = sqlx::query_as(
        "select browser_session_id, hash, expires_at_us, name, role from browser_sessions",
    )
    .fetch_one(before.db())
    .await
    .unwrap();
    sqlx::query(row)
        .bind(kept.0)
        .bind(kept.1)
        .bind(kept.2)
        .bind(kept.3)
        .bind(kept.4)
        .execute(server.db())
        .await
        .unwrap();
    let cookie = format!("{SESSION}={}", browser.service_cookies[SESSION]);
    let me = server.get_with("/api/v1/me", &[("cookie", &cookie)]).await;
    assert_eq!(me.status, StatusCode::UNAUTHORIZED);
}
