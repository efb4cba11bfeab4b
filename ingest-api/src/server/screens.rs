//! The web apps (dashboard, alert submission, description of the API), served from their built files.
//!
//! The apps are static files that get all their data from the API, like any client. Files under
//! `assets/` carry a hash of their content in the name, so browsers cache them forever. The page
//! itself is requested each time, so that a new build is visible at once. `headers.rs` defines the
//! security policies for browsers.

mod absent;
mod folders;
mod headers;
mod nonce;
mod page;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use tower::ServiceExt as _;
use tower_http::services::ServeDir;

pub(crate) use folders::Screens;

use crate::problem::Problem;
use crate::server::state::AppState;

/// Redirect target of browsers at the root. Redirects are relative, because a proxy may serve
/// everything below a prefix.
pub(crate) const HOME: &str = "dashboard/";

/// One of the web apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    /// For operators.
    Dashboard,
    /// For chain developers, who submit an alert and follow it.
    DevUi,
}

impl Screen {
    pub(crate) const ALL: [Self; 2] = [Self::Dashboard, Self::DevUi];

    /// Returns the path at which the app is served, without the trailing slash.
    const fn base(self) -> &'static str {
        match self {
            Self::Dashboard => "/dashboard",
            Self::DevUi => "/dev-ui",
        }
    }
}

/// Page that shows `/openapi.json`. It uses the files of the app for alert submission.
const API_PAGE: (Screen, &str) = (Screen::DevUi, "api.html");

/// `GET /dashboard/…`, `GET /dev-ui/…` and `GET /docs/`.
pub(crate) fn routes() -> Router<AppState> {
    let api =
        async |State(app): State<AppState>| page(&app, API_PAGE.0, API_PAGE.1, "../dev-ui/").await;
    let api = Router::new()
        .route("/docs", get(async || Redirect::permanent("docs/")))
        .route("/docs/", get(api));
    Screen::ALL.into_iter().fold(api, |router, screen| {
        let base = screen.base();
        let page = move |State(app): State<AppState>| async move { open(&app, screen, "./").await };
        let below = move |State(app): State<AppState>,
                          path: Result<Path<String>, PathRejection>,
                          request: Request| async move {
            match path {
                Ok(Path(path)) => below(&app, screen, &path, request).await,
                // The path is not UTF-8.
                Err(_) => Problem::NotFound.into_response(),
            }
        };
        router
            .route(
                base,
                get(async move || Redirect::permanent(&format!("{}/", &base[1..]))),
            )
            .route(&format!("{base}/"), get(page))
            .route(&format!("{base}/{{*path}}"), get(below))
    })
}

/// Returns whether a request comes from a browser that opens a page, not from a program.
pub(crate) fn wants_a_page(headers: &HeaderMap) -> bool {
    let accept = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accept
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim())
        .find_map(|kind| match kind {
            "text/html" => Some(true),
            "application/json" => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}

async fn open(app: &AppState, screen: Screen, up: &str) -> Response {
    page(app, screen, "index.html", up).await
}

/// Returns the relative path from a path of an app to its base: `./` on the first level, `../` on the second.
fn path_to_root(path: &str, screen: Screen) -> String {
    let rest = path.strip_prefix(screen.base()).unwrap_or_default();
    match rest.matches('/').count() {
        0 | 1 => "./".to_owned(),
        slashes => "../".repeat(slashes - 1),
    }
}

async fn page(app: &AppState, screen: Screen, file: &str, up: &str) -> Response {
    match app.screens.folder(screen).await {
        Some(folder) => page::render(&folder.join(file), screen.base(), up).await,
        None => absent::page(),
    }
}

/// Serves a file if the path names one. Otherwise serves the page, whose own router handles the path.
async fn below(app: &AppState, screen: Screen, path: &str, request: Request) -> Response {
    let is_file = path.starts_with("assets/")
        || path
            .rsplit('/')
            .next()
            .is_some_and(|last| last.contains('.'));
    if !is_file {
        return open(app, screen, &path_to_root(request.uri().path(), screen)).await;
    }
    let is_hidden = path.split('/').any(|segment| segment.starts_with('.'));
    let folder = match is_hidden || path.contains('\0') {
        true => None,
        false => app.screens.folder(screen).await,
    };
    match folder {
        Some(folder) => file(&folder, screen, path, request).await,
        None => Problem::NotFound.into_response(),
    }
}

async fn file(
    folder: &std::path::Path,
    screen: Screen,
    path: &str,
    mut request: Request,
) -> Response {
    // Not decoded here, because the library decodes the path once.
    let rest = request
        .uri()
        .path()
        .strip_prefix(screen.base())
        .unwrap_or("/");
    let Ok(uri) = rest.parse::<Uri>() else {
        return Problem::NotFound.into_response();
    };
    *request.uri_mut() = uri;
    let files = ServeDir::new(folder)
        .append_index_html_on_directories(false)
        .precompressed_br()
        .precompressed_gzip();
    let Ok(found) = files.oneshot(request).await;
    if found.status() == StatusCode::NOT_FOUND {
        return Problem::NotFound.into_response();
    }
    let mut response = found.map(axum::body::Body::new);
    headers::of_file(&mut response, path);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_up_has_a_step_for_each_level() {
        for (path, up) in [
            ("/dashboard/", "./"),
            ("/dashboard/fleet", "./"),
            ("/dashboard/sessions/1", "../"),
            ("/dashboard/sessions/1/", "../../"),
            ("/dashboard/a%2Fb", "./"),
        ] {
            assert_eq!(path_to_root(path, Screen::Dashboard), up, "{path}");
        }
    }

    #[test]
    fn a_browser_wants_a_page_and_a_program_does_not() {
        let wants = |accept: &'static str| {
            wants_a_page(&HeaderMap::from_iter([(
                header::ACCEPT,
                header::HeaderValue::from_static(accept),
            )]))
        };
        assert!(wants(
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        ));
        assert!(!wants("*/*"));
        assert!(!wants("application/json, text/html;q=0.5"));
        assert!(!wants_a_page(&HeaderMap::new()));
    }
}
