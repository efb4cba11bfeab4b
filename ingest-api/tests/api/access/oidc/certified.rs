//! Tokens of a real identity provider: npm's `oidc-provider`, in a separate process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_testing::tools;

use super::me;
use crate::server::Server;

const ALGORITHMS: [&str; 9] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
];

/// Process of the provider. Dropping it ends the process.
pub(super) struct Issuer {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    pub(super) url: String,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Issuer {
    fn start() -> Self {
        Self::start_for(&[])
    }

    /// Starts it with clients for browsers, which are sent back to these addresses.
    pub(super) fn start_for(redirect_uris: &[&str]) -> Self {
        let script = tools::workspace().join(tools::NODE).join("oidc.mjs");
        let mut process = Command::new(tools::expect_node("node"))
            .arg(script)
            .args(redirect_uris)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (
            process.stdin.take().unwrap(),
            BufReader::new(process.stdout.take().unwrap()),
        );
        let mut issuer = Self {
            process,
            stdin,
            stdout,
            url: String::new(),
        };
        issuer.url = issuer.next_line()["issuer"].as_str().unwrap().to_owned();
        issuer
    }

    pub(super) fn stop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }

    fn next_line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the issuer ended: {line}"))
    }

    /// Replaces the keys. The old ones are withdrawn.
    fn rotate(&mut self) {
        self.stdin.write_all(b"rotate\n").unwrap();
        assert!(self.next_line()["rotated"].is_number());
    }

    /// Requests a token by client credentials, for the API at `resource` if it is given.
    async fn token(&self, client: &str, resource: Option<&str>) -> String {
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("client_id", client),
            ("client_secret", "a-secret-of-a-test"),
        ];
        form.extend(resource.map(|resource| ("resource", resource)));
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let request = reqwest::Client::new()
            .post(format!("{}/token", self.url))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        let token = answer["access_token"].as_str();
        token.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

const TARSY: Option<&str> = Some("https://tarsy.example/");

async fn server(issuer: &Issuer) -> Server {
    Server::guarded(&[
        ("TARSY_OIDC_ISSUER", issuer.url.as_str()),
        ("TARSY_OIDC_AUDIENCE", "tarsy"),
        ("TARSY_OIDC_ROLE_CLAIM", "roles"),
        ("TARSY_OIDC_ROLES", "sre=operator, staff=viewer"),
    ])
    .await
}

async fn refused(server: &Server, token: &str) -> String {
    let answer = me(server, token).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{:?}", answer.body);
    answer.body["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn tokens_of_a_certified_provider_open_what_their_groups_may_with_any_algorithm() {
    let issuer = Issuer::start();
    let server = server(&issuer).await;
    for algorithm in ALGORITHMS {
        let client = format!("sre.{algorithm}");
        let token = issuer.token(&client, TARSY).await;
        let expected = json!({"name": client, "role": "operator", "auth": "oidc"});
        assert_eq!(me(&server, &token).await.body, expected, "{algorithm}");
    }
    let staff = issuer.token("staff.ES256", TARSY).await;
    assert_eq!(me(&server, &staff).await.body["role"], "viewer");
    let forbidden = server.post_as(&staff, "/alerts", &json!({})).await;
    assert_eq!(
        (forbidden.status, &forbidden.body["code"]),
        (StatusCode::FORBIDDEN, &json!("forbidden"))
    );
    let stranger = issuer.token("strangers.ES256", TARSY).await;
    assert_eq!(me(&server, &stranger).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn tokens_of_a_certified_provider_for_others_or_of_yesterday_open_nothing() {
    let issuer = Issuer::start();
    let server = server(&issuer).await;
    let elsewhere = issuer
        .token("sre.RS256", Some("https://grafana.example/"))
        .await;
    let detail = refused(&server, &elsewhere).await;
    assert!(detail.contains("wrong audience"), "{detail}");
    let old = issuer.token("sre.RS256.expired", TARSY).await;
    let detail = refused(&server, &old).await;
    assert!(detail.contains("has expired"), "{detail}");
    // Without a resource the provider returns an opaque token, which only it can read.
    let opaque = issuer.token("sre.RS256", None).await;
    let detail = refused(&server, &opaque).await;
    assert!(detail.contains("not a valid API key or token"), "{detail}");
    let stranger = Issuer::start();
    let foreign = stranger.token("sre.RS256", TARSY).await;
    refused(&server, &foreign).await;
}

#[tokio::test]
async fn new_keys_of_a_certified_provider_are_fetched_and_old_ones_forgotten() {
    let mut issuer = Issuer::start();
    let server = server(&issuer).await;
    let before = issuer.token("sre.RS256", TARSY).await;
    assert_eq!(me(&server, &before).await.status, StatusCode::OK);
    issuer.rotate();
    let after = issuer.token("sre.RS256", TARSY).await;
    assert_eq!(me(&server, &after).await.status, StatusCode::OK);
    let detail = refused(&server, &before).await;
    assert!(detail.contains("unknown signing key"), "{detail}");
}
