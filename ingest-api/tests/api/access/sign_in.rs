//! Sign-in of browsers with a key: the cookie, what it allows, and what it does not.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde_json::json;
use tarsy_model::Role;
use tarsy_testing::wait;
use tokio::net::TcpStream;

use crate::live::watcher::{PATIENCE, Watcher};
use crate::server::{IntoAnswer as _, Server};

const CSRF: (&str, &str) = ("x-tarsy-csrf", "1");
const REVOKE: &str = "/api/v1/admin/keys/00000000-0000-0000-0000-000000000000/revoke";

impl Server {
    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    async fn sign_in(&self, key: &str, origin: &str) -> Response {
        let request = self.post_raw("/api/v1/sign-in", String::new());
        let request = request.bearer_auth(key).header("origin", origin);
        request.send().await.unwrap()
    }

    /// Signs in. Returns the cookie as a browser sends it.
    async fn cookie(&self, key: &str) -> String {
        let answer = self.sign_in(key, &self.origin()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let set = answer.headers()["set-cookie"].to_str().unwrap();
        assert!(set.contains("; HttpOnly; SameSite=Strict"), "{set}");
        set.split(';').next().unwrap().to_owned()
    }

    async fn me_status(&self, cookie: &str) -> StatusCode {
        self.get_with("/api/v1/me", &[("cookie", cookie)])
            .await
            .status
    }

    /// Sends a request that changes something with these headers: revokes a key that does not exist.
    async fn change(&self, headers: &[(&str, &str)]) -> (StatusCode, String) {
        let mut request = self.post_raw(REVOKE, json!({"reason": "a test"}).to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.unwrap().into_answer().await;
        let code = answer.body["code"].as_str().unwrap_or_default().to_owned();
        (answer.status, code)
    }

    async fn socket(&self, cookie: &str, host: &str, origin: &str) -> Option<Watcher> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let headers = [("host", host), ("origin", origin), ("cookie", cookie)];
        Watcher::open_with(stream, self, "/ws/dashboard/ada", &headers)
            .await
            .ok()
    }
}

#[tokio::test]
async fn a_key_is_exchanged_for_a_cookie_that_opens_what_the_key_opens() {
    let server = Server::guarded(&[]).await;
    let key = server.key("ada", Role::Viewer).await;
    let cookie = server.cookie(&key).await;
    assert!(!cookie.contains(&key));
    let me = server.get_with("/api/v1/me", &[("cookie", &cookie)]).await;
    assert_eq!(
        me.body,
        json!({"name": "ada", "role": "viewer", "auth": "session"})
    );
    let keys = server
        .get_with("/api/v1/admin/keys", &[("cookie", &cookie)])
        .await;
    assert_eq!(keys.status, StatusCode::FORBIDDEN);
    let kept: String = sqlx::query_scalar("select browser_sessions::text from browser_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert!(!kept.contains(cookie.split_once('_').unwrap().1));
    // Half a token, a wrong secret, and the key itself as a cookie grant nothing.
    let (half, _) = cookie.rsplit_once('_').unwrap();
    let other = format!("{half}_{}", "0".repeat(64));
    for wrong in [half, &other, &format!("tarsy_session={key}")] {
        assert_eq!(
            server.me_status(wrong).await,
            StatusCode::UNAUTHORIZED,
            "{wrong}"
        );
    }
    let over_https = server.sign_in(&key, "https://localhost").await;
    let set = over_https.headers()["set-cookie"].to_str().unwrap();
    assert!(set.starts_with("__Host-tarsy_session=") && set.ends_with("; Secure"));
}

#[tokio::test]
async fn only_a_key_is_exchanged() {
    let server = Server::guarded(&[]).await;
    let wrong = server.sign_in("tarsy_wrong", &server.origin()).await;
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    let cookie = server.cookie(&server.key("ada", Role::Viewer).await).await;
    let request = server.post_raw("/api/v1/sign-in", String::new());
    let again = request
        .header("cookie", &cookie)
        .header("origin", server.origin())
        .header(CSRF.0, CSRF.1);
    let again = again.send().await.unwrap().into_answer().await;
    assert_eq!(
        (again.status, &again.body["code"]),
        (StatusCode::CONFLICT, &json!("key_required"))
    );
}

#[tokio::test]
async fn a_foreign_page_changes_nothing_with_the_cookie() {
    let server = Server::guarded(&[]).await;
    let cookie = server.cookie(&server.key("ada", Role::Admin).await).await;
    let (cookie, own) = (("cookie", cookie.as_str()), server.origin());
    let own = ("origin", own.as_str());
    let missing = (StatusCode::FORBIDDEN, "csrf_header_missing".to_owned());
    let origin = (StatusCode::FORBIDDEN, "origin_not_allowed".to_owned());
    // A form can't set the header. That includes forms of other programs on this machine.
    assert_eq!(server.change(&[cookie, own]).await, missing);
    assert_eq!(
        server
            .change(&[cookie, ("origin", "http://localhost:3000")])
            .await,
        missing
    );
    assert_eq!(
        server
            .change(&[cookie, CSRF, ("origin", "https://evil.example")])
            .await,
        origin
    );
    assert_eq!(
        server.change(&[cookie, CSRF, ("origin", "null")]).await,
        origin
    );
    assert_eq!(server.change(&[cookie, CSRF]).await, origin);
    let done = server.change(&[cookie, CSRF, own]).await;
    assert_eq!(done, (StatusCode::NOT_FOUND, "not_found".to_owned()));
    // No page gets permission to set that header by a preflight.
    let preflight = server
        .client
        .request(reqwest::Method::OPTIONS, server.url(REVOKE))
        .header("origin", "http://localhost:3000")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "x-tarsy-csrf");
    let answer = preflight.send().await.unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_session_ends_when_it_expires_signs_out_or_loses_its_key() {
    let server = Server::guarded(&[]).await;
    let key = server.key("ada", Role::Viewer).await;
    let (first, second) = (server.cookie(&key).await, server.cookie(&key).await);
    let sign_out = server
        .post_raw("/api/v1/sign-out", String::new())
        .header("cookie", &first)
        .header("origin", server.origin())
        .header(CSRF.0, CSRF.1);
    let answer = sign_out.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    let removed: Vec<_> = answer.headers().get_all("set-cookie").iter().collect();
    assert_eq!(removed.len(), 2);
    for set in removed {
        assert!(set.to_str().unwrap().contains("Max-Age=0"));
    }
    assert_eq!(server.me_status(&first).await, StatusCode::UNAUTHORIZED);
    assert_eq!(server.me_status(&second).await, StatusCode::OK);

    let expire = "update browser_sessions set expires_at_us = now_us()";
    sqlx::query(expire).execute(server.db()).await.unwrap();
    let ends = async |cookie: &str| {
        wait::until("the session to end", PATIENCE, async || {
            server.me_status(cookie).await == StatusCode::UNAUTHORIZED
        })
        .await;
    };
    ends(&second).await;

    let third = server.cookie(&key).await;
    assert_eq!(server.me_status(&third).await, StatusCode::OK);
    let revoke = "update api_keys set revoked_at_us = now_us()";
    sqlx::query(revoke).execute(server.db()).await.unwrap();
    ends(&third).await;
    let late = server.sign_in(&key, &server.origin()).await;
    assert_eq!(late.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_session_lasts_no_longer_than_configured_or_than_its_key() {
    let server = Server::guarded(&[("TARSY_BROWSER_SESSION", "1h")]).await;
    let key = server.key("ada", Role::Viewer).await;
    let lasts = async || {
        let answer = server
            .sign_in(&key, &server.origin())
            .await
            .into_answer()
            .await;
        Duration::from_secs(answer.body["expires_in_seconds"].as_u64().unwrap())
    };
    let hour = Duration::from_secs(3_600);
    assert!(lasts().await <= hour && lasts().await > hour / 2);
    let soon = "update api_keys set expires_at_us = now_us() + 600000000";
    sqlx::query(soon).execute(server.db()).await.unwrap();
    assert!(lasts().await <= hour / 6);
}

#[tokio::test]
async fn one_key_keeps_its_newest_sessions() {
    let server = Server::guarded(&[]).await;
    let key = server.key("ada", Role::Viewer).await;
    let first = server.cookie(&key).await;
    for _ in 0..50 {
        server.cookie(&key).await;
    }
    let kept: i64 = sqlx::query_scalar("select count(*) from browser_sessions")
        .fetch_one(server.db())
        .await
        .unwrap();
    assert_eq!(kept, 50);
    assert_eq!(server.me_status(&first).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_socket_opens_by_cookie_for_our_own_page_and_ends_with_the_session() {
    let server = Server::guarded(&[]).await;
    let cookie = server.cookie(&server.key("ada", Role::Viewer).await).await;
    let machine = server
        .cookie(&server.key("pager", Role::Ingest).await)
        .await;
    let (host, own) = (server.address.to_string(), server.origin());
    // The page of another program on this machine, a host name that points to this machine, and a
    // page elsewhere.
    for (host, origin) in [
        (host.as_str(), "http://127.0.0.1:3000"),
        ("evil.example", "http://evil.example"),
        (&host, "https://evil.example"),
    ] {
        let opened = server.socket(&cookie, host, origin).await;
        assert!(opened.is_none(), "{host} {origin}");
    }
    assert!(server.socket("a=b", &host, &own).await.is_none());
    assert!(server.socket(&machine, &host, &own).await.is_none());
    let mut watcher = server.socket(&cookie, &host, &own).await.unwrap();
    assert_eq!(watcher.next().await["type"], "connection_established");
    sqlx::query("delete from browser_sessions")
        .execute(server.db())
        .await
        .unwrap();
    assert_eq!(watcher.closed().await.0, 1008);
}
