//! Tests of authentication and authorization.

mod audit;
mod browsers;
mod flood;
mod hosts;
mod keys;
mod oidc;
mod rate;
mod runbooks;
mod sign_in;
mod sockets;
mod table;
mod webhooks;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tarsy_ingest_api::NewKey;
use tarsy_model::Role;
use tarsy_store::api_keys::NewApiKey;

use crate::server::{Answer, IntoAnswer as _, Server};

/// Switches access control on.
const ON: (&str, &str) = ("TARSY_AUTH", "on");

impl Server {
    /// Starts a server with access control and a provider.
    pub(crate) async fn guarded(variables: &[(&str, &str)]) -> Self {
        let all = [&[("OPENAI_API_KEY", "not-used"), ON], variables].concat();
        Self::with(&all).await
    }

    /// Creates a key as the command line does.
    pub(crate) async fn key(&self, name: &str, role: Role) -> String {
        let made = NewKey::generate();
        let mut conn = self.db().acquire().await.unwrap();
        let new = NewApiKey {
            key_id: uuid::Uuid::now_v7(),
            name,
            role,
            prefix: &made.prefix,
            hash: &made.hash,
            created_by: "a test",
            expires_at_us: None,
        };
        tarsy_store::api_keys::insert_api_key(&mut conn, &new)
            .await
            .unwrap()
            .unwrap();
        made.key
    }

    /// Sends a GET request with these headers.
    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.client.get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap().into_answer().await
    }

    /// Sends a GET request with a key or token.
    pub(crate) async fn get_as(&self, bearer: &str, path: &str) -> Answer {
        let authorization = format!("Bearer {bearer}");
        self.get_with(path, &[("authorization", &authorization)])
            .await
    }

    /// Sends a POST request with a key or token.
    pub(crate) async fn post_as(&self, bearer: &str, path: &str, body: &Value) -> Answer {
        let request = self.post_raw(path, body.to_string()).bearer_auth(bearer);
        request.send().await.unwrap().into_answer().await
    }
}

#[tokio::test]
async fn a_request_without_credentials_gets_the_accepted_kinds() {
    let server = Server::guarded(&[]).await;
    let answer = server
        .client
        .get(server.url("/api/v1/me"))
        .send()
        .await
        .unwrap();
    assert_eq!(
        answer.headers()["www-authenticate"],
        "Bearer realm=\"tarsy\""
    );
    let answer = answer.into_answer().await;
    assert_eq!(
        (answer.status, &answer.body["code"]),
        (StatusCode::UNAUTHORIZED, &json!("unauthenticated"))
    );
    for nonsense in [
        "Bearer tarsy_0123",
        "Bearer x.y.z",
        "Basic !",
        "Negotiate abc",
        "Bearer",
    ] {
        let answer = server
            .get_with("/api/v1/me", &[("authorization", nonsense)])
            .await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{nonsense}");
    }
}

#[tokio::test]
async fn while_access_control_is_off_every_user_of_this_machine_may_do_everything() {
    let server = Server::start().await;
    assert_eq!(
        server.get("/api/v1/me").await.body,
        json!({"name": "api-client", "role": "admin", "auth": "off"})
    );
    let named = server
        .get_with("/api/v1/me", &[("x-forwarded-user", "ada")])
        .await;
    assert_eq!(named.body["name"], "ada");
}

#[tokio::test]
async fn only_keys_that_are_trusted_to_may_act_for_others() {
    let server = Server::guarded(&[("TARSY_FORWARDING_KEYS", "proxy, other")]).await;
    let (proxy, viewer) = (
        server.key("proxy", Role::Operator).await,
        server.key("viewer", Role::Viewer).await,
    );
    let me = async |key: &str| {
        let answer = server
            .get_with(
                "/api/v1/me",
                &[("x-api-key", key), ("x-forwarded-user", "ada")],
            )
            .await;
        answer.body
    };
    assert_eq!(
        me(&proxy).await,
        json!({"name": "ada", "role": "operator", "auth": "key"})
    );
    assert_eq!(
        me(&viewer).await,
        json!({"name": "viewer", "role": "viewer", "auth": "key"})
    );
}
