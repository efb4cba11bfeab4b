//! Fake of an identity provider: discovery, keys, tokens.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Fake provider that listens on a free port.
pub(super) struct Provider {
    address: std::net::SocketAddr,
    key: EcdsaKeyPair,
    kid: u32,
    published: Arc<Mutex<Value>>,
    fetches: Arc<AtomicUsize>,
    codes: Arc<Mutex<Codes>>,
    serving: JoinHandle<()>,
}

/// State of the token endpoint.
#[derive(Default)]
struct Codes {
    /// Status and body of its responses.
    answer: (u16, Value),
    /// `Authorization` and form of the last request.
    last_request: (String, BTreeMap<String, String>),
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Returns the provider's claims about Ada with these changes; null removes a claim.
pub(super) fn claims(provider: &Provider, changes: Value) -> Value {
    let now = chrono::Utc::now().timestamp();
    let mut claims = json!({
        "iss": provider.issuer(), "aud": "tarsy", "sub": "1", "email": "ada@example.org",
        "exp": now + 300, "nbf": now, "realm_access": {"roles": ["sre", "staff"]},
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    claims
}

impl Provider {
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let key = new_key();
        let published = Arc::new(Mutex::new(key_set(&key, 1)));
        let fetches = Arc::new(AtomicUsize::new(0));
        let issuer = format!("http://{address}/realm");
        let discovery = json!({
            "issuer": issuer, "jwks_uri": format!("http://{address}/keys"),
            "authorization_endpoint": format!("http://{address}/authorize"),
            "token_endpoint": format!("http://{address}/token"),
        });
        let codes = Arc::<Mutex<Codes>>::default();
        let token = {
            let codes = codes.clone();
            async move |headers: HeaderMap, body: String| {
                let form = url::form_urlencoded::parse(body.as_bytes()).into_owned();
                let authorization = headers["authorization"].to_str().unwrap().to_owned();
                let mut codes = codes.lock().unwrap();
                codes.last_request = (authorization, form.collect());
                let (status, body) = codes.answer.clone();
                (StatusCode::from_u16(status).unwrap(), Json(body))
            }
        };
        let keys = {
            let (published, fetches) = (published.clone(), fetches.clone());
            move || {
                fetches.fetch_add(1, Ordering::SeqCst);
                let keys = published.lock().unwrap().clone();
                async move { Json(keys) }
            }
        };
        let router = Router::new()
            .route(
                "/realm/.well-known/openid-configuration",
                get(async move || Json(discovery)),
            )
            .route("/keys", get(keys))
            .route("/token", post(token));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            key,
            kid: 1,
            published,
            fetches,
            codes,
            serving,
        }
    }

    pub(super) fn issuer(&self) -> String {
        format!("http://{}/realm", self.address)
    }

    /// Returns how often its keys were fetched.
    pub(super) fn fetches(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }

    /// Sets the response of the token endpoint.
    pub(super) fn answer_code_with(&self, status: u16, body: Value) {
        self.codes.lock().unwrap().answer = (status, body);
    }

    /// Returns `Authorization` and form of the last request for tokens.
    pub(super) fn code_request(&self) -> (String, BTreeMap<String, String>) {
        self.codes.lock().unwrap().last_request.clone()
    }

    /// Signs with a new key from now on, and withdraws the old one.
    pub(super) fn rotate(&mut self) {
        self.key = new_key();
        self.kid += 1;
        *self.published.lock().unwrap() = key_set(&self.key, self.kid);
    }

    pub(super) async fn stop(&mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
    }

    /// Creates a valid token.
    pub(super) fn token(&self, claims: &Value) -> String {
        let header = json!({"alg": "ES256", "typ": "JWT", "kid": self.kid.to_string()});
        self.token_of_header(&header, claims)
    }

    /// Creates a token with this header, signed with the current key.
    pub(super) fn token_of_header(&self, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        let signature = self
            .key
            .sign(&SystemRandom::new(), message.as_bytes())
            .unwrap();
        format!("{message}.{}", BASE64.encode(signature))
    }

    /// Creates a token whose HMAC secret is the public key. A careless service would accept it.
    pub(super) fn token_by_secret(&self, claims: &Value) -> String {
        let message = message(
            &json!({"alg": "HS256", "kid": self.kid.to_string()}),
            claims,
        );
        let secret = self.key.public_key().as_ref();
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        let mac = ring::hmac::sign(&key, message.as_bytes());
        format!("{message}.{}", BASE64.encode(mac))
    }
}

fn message(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| BASE64.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap()
}

/// Returns a key set with the public key and others, which must be ignored.
fn key_set(key: &EcdsaKeyPair, kid: u32) -> Value {
    let point = key.public_key().as_ref();
    let (x, y) = point[1..].split_at(32);
    json!({"keys": [
        {"kty": "RSA", "kid": "encrypts", "use": "enc", "n": "AQAB", "e": "AQAB"},
        {"kty": "martian", "kid": "odd", "use": 7},
        {"kty": "EC", "crv": "P-256", "kid": kid.to_string(), "use": "sig", "alg": "ES256",
         "x": BASE64.encode(x), "y": BASE64.encode(y)},
    ]})
}
