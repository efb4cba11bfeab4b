//! The OpenAPI document and the page that shows it.

use axum::Router;
use axum::http::{HeaderValue, header};
use tower_http::decompression::DecompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_swagger_ui::SwaggerUi;

use crate::problem::ProblemBody;
use crate::state::AppState;

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
struct Described;

/// The document without routes.
pub(crate) fn described() -> Document {
    Described::openapi()
}

/// Adds the security scheme `key`.
struct Keys;

impl Modify for Keys {
    fn modify(&self, document: &mut Document) {
        let mut key = Http::new(HttpAuthScheme::Bearer);
        key.description = Some(
            "An API key, or a token of the identity provider; `x-needs` of an operation names the role. \
             Not asked for while access control is off."
                .to_owned(),
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(key));
    }
}

/// Content security policy of the docs page: its own files; its scripts set styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);

/// `/openapi.json` and the page under `/docs`.
pub(crate) fn page(document: Document) -> Router<AppState> {
    let page = SwaggerUi::new("/docs").url("/openapi.json", document);
    Router::new()
        .merge(page)
        // The program holds the page's files compressed; not every client accepts that.
        .layer(DecompressionLayer::new())
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CONTENT_SECURITY_POLICY,
            POLICY,
        ))
}
