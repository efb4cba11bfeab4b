//! Routes with their authentication requirements.

#[cfg(test)]
mod described;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::MethodRouter;
use tarsy_model::{OperatorAction, Role};

use crate::access::auth_middleware::authenticate;
use crate::access::auth_requirement::AuthRequirement;
use crate::alerts::rejected::witness;
use crate::server::state::AppState;

/// A path and the handlers of its methods.
pub(crate) struct Route {
    pub(crate) path: String,
    pub(crate) methods: MethodRouter<AppState>,
    /// The part of the OpenAPI document that describes them.
    #[cfg(test)]
    pub(crate) described: utoipa_axum::router::UtoipaMethodRouter<AppState>,
}

/// A [`Route`] of handlers with the same path. Their `#[utoipa::path]` names path and methods.
macro_rules! route {
    ($($first:ident)::+ $(, $($next:ident)::+)*) => {
        $crate::access::Route {
            path: utoipa_axum::routes!(@path [path()] of $($first)::+),
            methods: {
                let methods = axum::routing::MethodRouter::new();
                let methods = $crate::access::answered!(methods by $($first)::+);
                $(let methods = $crate::access::answered!(methods by $($next)::+);)*
                methods
            },
            #[cfg(test)]
            described: utoipa_axum::routes!($($first)::+ $(, $($next)::+)*),
        }
    };
}

macro_rules! answered {
    ($methods:ident by $($handler:ident)::+) => {
        utoipa_axum::routes!(@path [methods()] of $($handler)::+)
            .iter()
            .fold($methods, |methods, method| {
                let filter = utoipa_axum::PathItemExt::to_method_filter(method);
                methods.on(filter, $($handler)::+)
            })
    };
}

pub(crate) use {answered, route};

#[derive(Default)]
pub(crate) struct Routes {
    /// Routes for web pages of allowed origins.
    for_pages: Router<AppState>,
    /// Routes for webhooks; their OPTIONS requests are CloudEvents handshakes.
    webhooks: Router<AppState>,
    #[cfg(test)]
    described: described::Described,
}

impl Routes {
    /// Adds a route that accepts alerts. Rejected alerts are counted and stored.
    pub(crate) fn alerts(self, need: AuthRequirement, route: Route) -> Self {
        self.add(need, route, |methods| {
            let authenticated = from_fn(move |request, next| authenticate(need, request, next));
            methods.layer((from_fn(witness), authenticated))
        })
    }

    /// Adds a route with its authentication requirement.
    pub(crate) fn route(self, need: AuthRequirement, route: Route) -> Self {
        self.add(need, route, |methods| {
            methods.layer(from_fn(move |request, next| {
                authenticate(need, request, next)
            }))
        })
    }

    fn add(
        mut self,
        need: AuthRequirement,
        route: Route,
        around: impl FnOnce(MethodRouter<AppState>) -> MethodRouter<AppState>,
    ) -> Self {
        #[cfg(test)]
        self.described.add(need, route.described);
        let methods = around(route.methods);
        if matches!(need, AuthRequirement::Webhook | AuthRequirement::Slack) {
            self.webhooks = self.webhooks.route(&route.path, methods);
        } else {
            self.for_pages = self.for_pages.route(&route.path, methods);
        }
        self
    }

    /// Adds a route that requires a role.
    pub(crate) fn role(self, role: Role, route: Route) -> Self {
        self.route(AuthRequirement::Role(role), route)
    }

    /// Adds a route that requires the role of an operator action.
    pub(crate) fn action(self, action: OperatorAction, route: Route) -> Self {
        self.role(action.role(), route)
    }

    /// Returns the routes for pages and the routes for webhooks.
    pub(crate) fn split(self) -> (Router<AppState>, Router<AppState>) {
        (self.for_pages, self.webhooks)
    }
}
