//! An MCP server that requires tokens, and the authorization server that issues them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tarsy_mcp::{ClientProof, OAuthSettings, Secret, ServerSettings, TransportSettings};

use crate::support;

pub(crate) const SECRET: &str = "made-up/secret+1";

/// Variations of the two servers.
#[derive(Clone)]
pub(crate) struct Wishes {
    pub(crate) expires_in: u64,
    /// Authentication methods that the authorization server announces.
    pub(crate) methods: &'static [&'static str],
    /// One member of the metadata, and the wrong value it has.
    pub(crate) lies: Option<(&'static str, &'static str)>,
    /// Whether the servers publish no metadata.
    pub(crate) silent: bool,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            expires_in: 3600,
            methods: &["client_secret_basic", "client_secret_post"],
            lies: None,
            silent: false,
        }
    }
}

#[derive(Default)]
struct Seen {
    tokens: Vec<BTreeMap<String, String>>,
    granted: BTreeMap<String, String>,
    refusals: usize,
    runs: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct World {
    base: String,
    wishes: Wishes,
    seen: Arc<Mutex<Seen>>,
}

impl World {
    pub(crate) async fn start(wishes: Wishes) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let world = Self {
            base,
            wishes,
            seen: Arc::default(),
        };
        let app = Router::new()
            .route("/mcp", post(mcp))
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server/login", get(issuer))
            .route("/login/token", post(token))
            .with_state(world.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        world
    }

    pub(crate) fn mcp_url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    pub(crate) fn token_url(&self) -> String {
        format!("{}/login/token", self.base)
    }

    pub(crate) fn settings(&self) -> ServerSettings {
        self.settings_with(|_| {})
    }

    pub(crate) fn settings_with(&self, change: impl FnOnce(&mut OAuthSettings)) -> ServerSettings {
        let mut settings = support::http("guarded", &self.mcp_url());
        let mut oauth = oauth();
        change(&mut oauth);
        set(&mut settings, oauth);
        settings
    }

    /// Returns the forms posted to the token endpoint, with their header `authorization`.
    pub(crate) fn token_requests(&self) -> Vec<BTreeMap<String, String>> {
        self.seen().tokens.clone()
    }

    pub(crate) fn refusals(&self) -> usize {
        self.seen().refusals
    }

    /// Returns how often a tool was run.
    pub(crate) fn runs(&self, tool: &str) -> usize {
        self.seen().runs.iter().filter(|run| *run == tool).count()
    }

    /// Revokes every token.
    pub(crate) fn revoke(&self) {
        self.seen().granted.clear();
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().expect("not poisoned")
    }

    /// Returns `truth`, or the wrong value that replaces it.
    fn value_of(&self, what: &str, truth: String) -> String {
        let lie = self.wishes.lies.filter(|(which, _)| *which == what);
        lie.map_or(truth, |(_, lie)| lie.to_owned())
    }

    fn refuse(&self, status: StatusCode, challenge: &str) -> Response {
        self.seen().refusals += 1;
        let metadata = match self.wishes.silent {
            true => String::new(),
            false => format!(
                r#", resource_metadata="{}/.well-known/oauth-protected-resource/mcp""#,
                self.base
            ),
        };
        let header = format!("Bearer {challenge}{metadata}");
        (status, [("www-authenticate", header)]).into_response()
    }
}

/// Settings of the client that the authorization server knows.
pub(crate) fn oauth() -> OAuthSettings {
    OAuthSettings {
        client_id: "tarsy".to_owned(),
        proof: ClientProof::Secret(Secret::new(SECRET)),
        scopes: Vec::new(),
        token_url: None,
        resource: None,
    }
}

pub(crate) fn set(settings: &mut ServerSettings, oauth: OAuthSettings) {
    let TransportSettings::Http(http) = &mut settings.transport else {
        unreachable!()
    };
    http.oauth = Some(oauth);
}

/// Returns HTTP Basic credentials, encoded as OAuth requires.
pub(crate) fn basic(id: &str, secret: &str) -> String {
    use base64::Engine as _;
    let secret: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{id}:{secret}"));
    format!("Basic {pair}")
}

async fn resource(State(world): State<World>) -> Response {
    if world.wishes.silent {
        return StatusCode::NOT_FOUND.into_response();
    }
    let issuer = world.value_of("authorization_server", format!("{}/login", world.base));
    Json(json!({
        "resource": world.value_of("resource", world.mcp_url()),
        "authorization_servers": [issuer],
        "scopes_supported": ["mcp:read", "mcp:write"],
    }))
    .into_response()
}

async fn issuer(State(world): State<World>) -> Json<Value> {
    Json(json!({
        "issuer": format!("{}/login", world.base),
        "authorization_endpoint": format!("{}/login/authorize", world.base),
        "token_endpoint": world.value_of("token_endpoint", world.token_url()),
        "grant_types_supported": ["client_credentials"],
        "token_endpoint_auth_methods_supported": world.wishes.methods,
    }))
}

async fn token(
    State(world): State<World>,
    headers: HeaderMap,
    Form(mut form): Form<BTreeMap<String, String>>,
) -> Response {
    let authorization = headers
        .get("authorization")
        .map_or("", |value| value.to_str().expect("ASCII"));
    let in_body = form.get("client_secret").is_some_and(|sent| sent == SECRET);
    let known = authorization == basic("tarsy", SECRET) || in_body;
    form.insert("authorization".to_owned(), authorization.to_owned());
    let mut seen = world.seen();
    seen.tokens.push(form.clone());
    if !known {
        let error =
            json!({"error": "invalid_client", "error_description": "no: made-up-wrong-secret"});
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    let token = format!("made-up-token-{}", seen.tokens.len());
    let scope = form.get("scope").cloned().unwrap_or_default();
    seen.granted.insert(token.clone(), scope);
    let life = world.wishes.expires_in;
    Json(json!({"access_token": token, "token_type": "bearer", "expires_in": life})).into_response()
}

async fn mcp(
    State(world): State<World>,
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> Response {
    let bearer = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let scopes = bearer.and_then(|token| world.seen().granted.get(token).cloned());
    let Some(scopes) = scopes else {
        return world.refuse(StatusCode::UNAUTHORIZED, r#"scope="mcp:read""#);
    };
    let tool = message["params"]["name"].as_str().unwrap_or_default();
    let wanted = match tool {
        "write" => Some("mcp:write".to_owned()),
        "greedy" => Some(format!("mcp:more-{}", scopes.len())),
        _ => None,
    };
    if let Some(wanted) = wanted
        && !scopes.split(' ').any(|scope| scope == wanted)
    {
        let challenge = format!(r#"error="insufficient_scope", scope="{wanted}""#);
        return world.refuse(StatusCode::FORBIDDEN, &challenge);
    }
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "guarded", "version": "1"},
        }),
        Some("tools/list") => {
            let tools = ["read", "write", "greedy"];
            json!({"tools": tools.map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))})
        }
        Some("tools/call") => {
            world.seen().runs.push(tool.to_owned());
            json!({"content": [{"type": "text", "text": tool}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}
