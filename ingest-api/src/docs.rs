//! The OpenAPI document and the page that shows it.

use axum::Router;
use axum::http::{HeaderValue, header};
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
        description = "Alerts in, investigations out. Times are Unix microseconds; errors are RFC 9457 problem details \
                       whose `code` is listed in docs/ERRORS.md.",
    ),
    components(schemas(ProblemBody)),
    modifiers(&Keys),
    tags(
        (name = "alerts", description = "Submitting alerts and asking what became of them"),
        (name = "webhooks", description = "Alerts from monitoring systems"),
        (name = "history", description = "What happened in sessions"),
        (name = "admin", description = "Operating the fleet"),
        (name = "access", description = "Who asks, and API keys"),
        (name = "live", description = "What happens, as it happens"),
        (name = "health", description = "Whether the service works"),
    )
)]
struct Described;

/// The document before its routes.
pub(crate) fn described() -> Document {
    Described::openapi()
}

/// Names what a caller shows: `key`, in each operation's `security`.
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

/// What the docs page may load: its own files. Its scripts set styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);

/// `/openapi.json` and the page under `/docs`.
pub(crate) fn page(document: Document) -> Router<AppState> {
    let page = SwaggerUi::new("/docs").url("/openapi.json", document);
    Router::new()
        .merge(page)
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CONTENT_SECURITY_POLICY,
            POLICY,
        ))
}
