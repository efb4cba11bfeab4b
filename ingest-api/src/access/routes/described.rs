//! Builds the OpenAPI document from the routes. Only tests build it. The service serves
//! `openapi.json`, which the test below compares with the routes.

use std::path::Path;

use serde::Serialize as _;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::access::routes::AuthRequirement;
use crate::problem::{ProblemBody, add_problems, describe_problems};
use crate::server::state::AppState;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tarsy",
        description = "Investigates alerts. Times are Unix microseconds; errors are RFC 9457 problem details \
                       whose `code` is listed in docs/ERRORS.md.",
    ),
    components(schemas(ProblemBody)),
    modifiers(&Keys),
    tags(
        (name = "alerts", description = "Submission and status of alerts"),
        (name = "webhooks", description = "Webhooks of monitoring systems"),
        (name = "history", description = "Sessions and their history"),
        (name = "conversations", description = "Questions about ended sessions"),
        (name = "approvals", description = "Decisions that sessions wait for, and signals"),
        (name = "admin", description = "Operator actions"),
        (name = "access", description = "Identity and API keys"),
        (name = "live", description = "Live events"),
        (name = "health", description = "Health and metrics"),
    )
)]
struct WithoutRoutes;

/// Adds the security scheme `key`.
struct Keys;

impl Modify for Keys {
    fn modify(&self, document: &mut Document) {
        let mut key = Http::new(HttpAuthScheme::Bearer);
        key.description = Some(
            "An API key or a token of the identity provider. `x-needs` of an operation names the required role. \
             Not required while access control is off."
                .to_owned(),
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(key));
    }
}

/// OpenAPI document of the routes that were added so far.
pub(super) struct Described(OpenApiRouter<AppState>);

impl Default for Described {
    fn default() -> Self {
        Self(OpenApiRouter::with_openapi(WithoutRoutes::openapi()))
    }
}

impl Described {
    pub(super) fn add(&mut self, need: AuthRequirement, routes: UtoipaMethodRouter<AppState>) {
        let (schemas, mut paths, methods) = routes;
        for item in paths.paths.values_mut() {
            operations(item).for_each(|operation| describe(operation, need));
        }
        let before = std::mem::take(&mut self.0);
        self.0 = before.routes((schemas, paths, methods));
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.delete,
        &mut item.options,
        &mut item.head,
        &mut item.patch,
    ];
    all.into_iter().filter_map(Option::as_mut)
}

/// Adds the authentication requirement and problem responses of an operation.
fn describe(operation: &mut Operation, need: AuthRequirement) {
    let extension = ExtensionsBuilder::new()
        .add("x-needs", need.as_str())
        .build();
    match &mut operation.extensions {
        Some(extensions) => extensions.merge(extension),
        none => *none = Some(extension),
    }
    describe_problems(operation);
    if matches!(
        need,
        AuthRequirement::Public
            | AuthRequirement::SignIn
            | AuthRequirement::Ticket
            | AuthRequirement::Slack
    ) {
        return;
    }
    let bearer = SecurityRequirement::new("key", [] as [&str; 0]);
    operation.security.get_or_insert_default().push(bearer);
    add_problems(
        operation,
        [
            ("401", "Authentication required"),
            ("403", "The role or the page's origin is not allowed"),
            ("503", "The database is unavailable"),
        ],
    );
    if need != AuthRequirement::Webhook {
        add_problems(operation, [("429", "Rate limit exceeded")]);
    }
}

/// Formats the document with an indent of one space, because the program contains it.
fn pretty(document: &serde_json::Value) -> Vec<u8> {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut writer = serde_json::Serializer::with_formatter(&mut text, formatter);
    document.serialize(&mut writer).unwrap();
    text.push(b'\n');
    text
}

/// With `INSTA_UPDATE=always` it rewrites the document, like snapshots.
#[test]
fn the_document_that_is_served_is_that_of_the_routes() {
    let document = crate::server::router::routes().described.0.into_openapi();
    let made = serde_json::to_value(&document).unwrap();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
        std::fs::write(file, pretty(&made)).unwrap();
        return;
    }
    let served: serde_json::Value = serde_json::from_str(crate::server::docs::DOCUMENT).unwrap();
    let paths = |document: &serde_json::Value| document["paths"].as_object().cloned().unwrap();
    let (made_paths, served_paths) = (paths(&made), paths(&served));
    let changed: Vec<_> = made_paths
        .iter()
        .filter(|(path, item)| served_paths.get(*path) != Some(item))
        .map(|(path, _)| path)
        .collect();
    assert!(
        made == served,
        "run this test with INSTA_UPDATE=always; changed or new paths: {changed:?}"
    );
}
