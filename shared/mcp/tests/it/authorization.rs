//! Servers that require OAuth: what is sent until a tool answers, and what is never sent.

mod world;

use serde_json::json;
use tarsy_mcp::{AgentTools, CallError, CallOptions, ClientProof, OAuthSettings, Secret};
use world::{SECRET, Wishes, World};

use crate::support::{self, call, one};

async fn refused(tools: &AgentTools) -> String {
    tools.list().await.unavailable.remove(0).1
}

#[tokio::test]
async fn a_token_is_found_from_the_refusal_and_kept() {
    let world = World::start(Wishes::default()).await;
    let (pool, tools) = one(world.settings());
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    let requests = world.token_requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0]["grant_type"], "client_credentials");
    assert_eq!(requests[0]["resource"], world.mcp_url());
    assert_eq!(requests[0]["scope"], "mcp:read");
    assert_eq!(requests[0]["authorization"], world::basic("tarsy", SECRET));
    assert!(!requests[0].contains_key("client_secret"));

    // A new connection reuses the token.
    pool.close().await;
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    assert_eq!(world.token_requests().len(), 1);
}

#[tokio::test]
async fn a_token_that_was_taken_back_is_renewed_within_the_call() {
    let world = World::start(Wishes::default()).await;
    let (_pool, tools) = one(world.settings());
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    world.revoke();
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    assert_eq!(world.token_requests().len(), 2);
    assert_eq!(world.runs("read"), 2, "a refused call was not run");
}

#[tokio::test]
async fn a_token_at_its_end_is_renewed_before_it_is_refused() {
    let world = World::start(Wishes {
        expires_in: 0,
        ..Wishes::default()
    })
    .await;
    let (_pool, tools) = one(world.settings());
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    assert!(world.token_requests().len() > 2);
    assert_eq!(
        world.refusals(),
        1,
        "the first request alone, without a token"
    );
}

#[tokio::test]
async fn scopes_grow_as_calls_need_them_and_no_further() {
    let world = World::start(Wishes::default()).await;
    let (_pool, tools) = one(world.settings());
    assert_eq!(call(&tools, "write", json!({})).await.text, "write");
    let requests = world.token_requests();
    assert_eq!(requests.last().expect("one")["scope"], "mcp:read mcp:write");

    // Its server asks for another scope each time. The client stops after some attempts.
    let before = world.token_requests().len();
    let end = tools
        .call("guarded", "greedy", json!({}), CallOptions::default())
        .await;
    assert!(matches!(end, Err(CallError::Unavailable { .. })), "{end:?}");
    let more = world.token_requests().len() - before;
    // Called once, and once more over a new connection.
    assert!((3..=6).contains(&more), "{more} more tokens");
    assert_eq!(world.runs("greedy"), 0);
}

#[tokio::test]
async fn configured_scopes_are_all_that_is_asked_for() {
    let world = World::start(Wishes::default()).await;
    let (_pool, tools) = one(world.settings_with(|oauth| oauth.scopes = vec!["mcp:read".into()]));
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    let end = tools
        .call("guarded", "write", json!({}), CallOptions::default())
        .await;
    assert!(matches!(end, Err(CallError::Unavailable { .. })), "{end:?}");
    let requests = world.token_requests();
    assert!(
        requests.iter().all(|form| form["scope"] == "mcp:read"),
        "{requests:?}"
    );
}

#[tokio::test]
async fn an_operator_may_name_the_token_endpoint() {
    let world = World::start(Wishes {
        methods: &["client_secret_post"],
        ..Wishes::default()
    })
    .await;
    let url = world.token_url();
    let settings = world.settings_with(move |oauth| {
        oauth.token_url = Some(url);
        oauth.resource = Some("urn:tools".to_owned());
        oauth.scopes = vec!["mcp:read".to_owned(), "mcp:write".to_owned()];
    });
    let (_pool, tools) = one(settings);
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    assert_eq!(world.refusals(), 0, "there was a token from the start");
    let requests = world.token_requests();
    assert_eq!(requests[0]["resource"], "urn:tools");
    assert_eq!(requests[0]["scope"], "mcp:read mcp:write");
}

#[tokio::test]
async fn a_server_that_takes_secrets_in_the_body_alone_gets_them_there() {
    let world = World::start(Wishes {
        methods: &["client_secret_post"],
        ..Wishes::default()
    })
    .await;
    let (_pool, tools) = one(world.settings());
    assert_eq!(call(&tools, "read", json!({})).await.text, "read");
    let requests = world.token_requests();
    assert_eq!(requests[0]["client_secret"], SECRET);
    assert_eq!(requests[0]["authorization"], "");
}

#[tokio::test]
async fn a_wrong_secret_is_named_in_no_error() {
    let world = World::start(Wishes::default()).await;
    let settings = world.settings_with(|oauth| {
        oauth.proof = ClientProof::Secret(Secret::new("made-up-wrong-secret"));
    });
    assert!(!format!("{settings:?}").contains("made-up"));
    let (pool, tools) = one(settings);
    // The authorization server of these tests repeats what it was sent.
    let reason = refused(&tools).await;
    assert!(reason.contains("invalid_client"), "{reason}");
    assert!(!reason.contains("made-up-wrong"), "{reason}");
    assert!(!format!("{:?}", pool.status()).contains("made-up-wrong"));
}

#[tokio::test]
async fn the_trail_leads_nowhere_inside_and_never_without_tls() {
    let inside = [
        ("authorization_server", "https://169.254.169.254"),
        ("authorization_server", "https://10.0.0.1/tenant"),
        ("token_endpoint", "https://10.0.0.1/token"),
        ("token_endpoint", "http://login.example.com/token"),
        (
            "token_endpoint",
            "https://user:pass@login.example.com/token",
        ),
        ("resource", "https://other.example.com/mcp"),
    ];
    for (what, value) in inside {
        let world = World::start(Wishes {
            lies: Some((what, value)),
            ..Wishes::default()
        })
        .await;
        let (_pool, tools) = one(world.settings());
        let reason = refused(&tools).await;
        assert!(reason.contains("authorization server"), "{what}: {reason}");
        assert!(!reason.contains("user:pass"), "{reason}");
        assert_eq!(world.token_requests().len(), 0, "{what}");
    }
}

#[tokio::test]
async fn a_server_that_names_no_authorization_server_is_reported() {
    let world = World::start(Wishes {
        silent: true,
        ..Wishes::default()
    })
    .await;
    let (_pool, tools) = one(world.settings());
    let reason = refused(&tools).await;
    assert!(reason.contains("`auth.token_url`"), "{reason}");
}

#[test]
fn settings_that_no_token_can_come_of_are_refused_at_the_start() {
    let with = |change: fn(&mut OAuthSettings)| {
        let mut oauth = world::oauth();
        change(&mut oauth);
        let mut settings = support::http("guarded", "https://tools.example.com/mcp");
        world::set(&mut settings, oauth);
        tarsy_mcp::McpPool::new(vec![settings])
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(with(|_| {}), "");
    let key = with(|oauth| {
        oauth.proof = {
            ClientProof::Key {
                pem: Secret::new("made-up"),
                id: None,
            }
        }
    });
    assert!(key.contains("PKCS #8") && !key.contains("made-up"), "{key}");
    let url = with(|oauth| oauth.token_url = Some("http://login.example.com/t".to_owned()));
    assert!(url.contains("not https"), "{url}");
}
