//! The OpenAPI document and the page that shows it.

use axum::Router;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
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
    tags(
        (name = "alerts", description = "Submitting alerts and asking what became of them"),
        (name = "webhooks", description = "Alerts from monitoring systems"),
        (name = "history", description = "What happened in sessions"),
        (name = "admin", description = "Operating the fleet"),
        (name = "live", description = "What happens, as it happens"),
        (name = "health", description = "Whether the service works"),
    )
)]
struct Described;

/// A router whose routes describe themselves.
pub(crate) fn described() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Described::openapi())
}

/// `/openapi.json` and the page under `/docs`.
pub(crate) fn page(document: Document) -> Router<AppState> {
    Router::new().merge(SwaggerUi::new("/docs").url("/openapi.json", document))
}
