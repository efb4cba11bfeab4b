//! Routes with their authentication requirements.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::MethodRouter;
use tarsy_model::{OperatorAction, Role};
use utoipa::openapi::OpenApi;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::auth_middleware::authenticate;
use super::auth_requirement::AuthRequirement;
use crate::problem::{add_problems, describe_problems};
use crate::rejected::witness;
use crate::state::AppState;

/// Authenticated routes and their OpenAPI document.
pub(crate) struct Routes {
    /// Routes for web pages of allowed origins.
    ours: OpenApiRouter<AppState>,
    /// Routes for webhooks; their OPTIONS requests are CloudEvents handshakes.
    webhooks: OpenApiRouter<AppState>,
}

impl Routes {
    /// Creates an empty set of routes with this OpenAPI document.
    pub(crate) fn new(described: OpenApi) -> Self {
        Self {
            ours: OpenApiRouter::with_openapi(described),
            webhooks: OpenApiRouter::new(),
        }
    }

    /// Adds a route that accepts alerts; rejected ones are counted and stored.
    pub(crate) fn alerts(
        self,
        need: AuthRequirement,
        routes: UtoipaMethodRouter<AppState>,
    ) -> Self {
        self.add(need, routes, |methods| {
            let authenticated = from_fn(move |request, next| authenticate(need, request, next));
            methods.layer((from_fn(witness), authenticated))
        })
    }

    /// Adds a route with its authentication requirement.
    pub(crate) fn route(self, need: AuthRequirement, routes: UtoipaMethodRouter<AppState>) -> Self {
        self.add(need, routes, |methods| {
            methods.layer(from_fn(move |request, next| {
                authenticate(need, request, next)
            }))
        })
    }

    fn add(
        mut self,
        need: AuthRequirement,
        routes: UtoipaMethodRouter<AppState>,
        around: impl FnOnce(MethodRouter<AppState>) -> MethodRouter<AppState>,
    ) -> Self {
        let (schemas, mut paths, methods) = routes;
        for item in paths.paths.values_mut() {
            operations(item).for_each(|operation| describe(operation, need));
        }
        let routes = (schemas, paths, around(methods));
        if matches!(need, AuthRequirement::Webhook | AuthRequirement::Slack) {
            self.webhooks = self.webhooks.routes(routes);
        } else {
            self.ours = self.ours.routes(routes);
        }
        self
    }

    /// As [`Self::route`] for a role.
    pub(crate) fn role(self, role: Role, routes: UtoipaMethodRouter<AppState>) -> Self {
        self.route(AuthRequirement::Role(role), routes)
    }

    /// As [`Self::route`] for the role that an action requires.
    pub(crate) fn action(
        self,
        action: OperatorAction,
        routes: UtoipaMethodRouter<AppState>,
    ) -> Self {
        self.role(action.role(), routes)
    }

    /// Routes for pages, routes for webhooks, and the OpenAPI document of both.
    pub(crate) fn split(self) -> (Router<AppState>, Router<AppState>, OpenApi) {
        let (ours, mut document) = self.ours.split_for_parts();
        let (webhooks, others) = self.webhooks.split_for_parts();
        document.merge(others);
        (ours, webhooks, document)
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
        AuthRequirement::Public | AuthRequirement::Ticket | AuthRequirement::Slack
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
