//! Lists and search.

use axum::Json;
use axum::extract::{Query, State};
use tarsy_model::SessionStatus;
use tarsy_store::{SearchLimits, SessionFilter};

use super::Pairs;
use super::parameters::{Narrowing, Paging};
use crate::history::lists::{ActiveSessions, SessionLine, SessionList};
use crate::history::masking::mask_lines;
use crate::history::query::ListQuery;
use crate::problem::{FieldError, Problem, ProblemBody};
use crate::state::AppState;

/// Sessions, newest first.
#[utoipa::path(
    get, path = "/api/v1/history/sessions", tag = "history",
    params(
        Narrowing,
        ("search" = Option<String>, Query, description = "Text of 3 characters or more in alert, errors or analysis"),
        Paging,
    ),
    responses(
        (status = 200, description = "A page", body = SessionList),
        (status = 400, description = "A parameter is not valid", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn sessions(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<SessionList>, Problem> {
    list(&app, ListQuery::read(&pairs)?).await
}

/// Sessions whose alert, errors or analysis hold a text.
///
/// A session is found a few seconds after it was accepted. Most texts are looked for in all
/// sessions. One that no index tells from others is looked for in those that come first, for a
/// fifth of a second: then `searched_to_us` says how far, and `next_cursor` goes on there.
#[utoipa::path(
    get, path = "/api/v1/history/search", tag = "history",
    params(
        ("q" = String, Query, description = "3 to 200 characters, in any case", min_length = 3, max_length = 200),
        Narrowing,
        Paging,
    ),
    responses(
        (status = 200, description = "A page", body = SessionList),
        (status = 400, description = "A parameter is not valid", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn search(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<SessionList>, Problem> {
    let query = ListQuery::read(&pairs)?;
    if query.search.is_none() {
        return Err(Problem::InvalidParameter(FieldError::new(
            "q",
            "is missing",
        )));
    }
    list(&app, query).await
}

async fn list(app: &AppState, query: ListQuery) -> Result<Json<SessionList>, Problem> {
    let mut conn = app.history().await?;
    // One more than asked for tells whether there is a next page.
    let mut page = query.page;
    page.limit += 1;
    let mut hits = match &query.search {
        Some(text) => {
            let mut limits = SearchLimits::default();
            limits.index = limits.index.filter(|_| !query.resumes);
            tarsy_store::search_sessions(&mut conn, text, &query.filter, &page, limits).await?
        }
        None => tarsy_store::list_sessions(&mut conn, &query.filter, &page).await?,
    };
    mask_lines(&app.catalog.alert_masker, &mut hits.sessions);
    Ok(Json(SessionList::of(query, hits)))
}

/// Sessions that have not ended, newest first.
#[utoipa::path(
    get, path = "/api/v1/history/active-sessions", tag = "history",
    responses(
        (status = 200, description = "The newest 100", body = ActiveSessions),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn active(State(app): State<AppState>) -> Result<Json<ActiveSessions>, Problem> {
    let filter = SessionFilter {
        statuses: vec![SessionStatus::Pending, SessionStatus::InProgress],
        ..SessionFilter::default()
    };
    let page = tarsy_store::Page {
        limit: 100,
        ..tarsy_store::Page::default()
    };
    let mut conn = app.history().await?;
    let mut hits = tarsy_store::list_sessions(&mut conn, &filter, &page).await?;
    mask_lines(&app.catalog.alert_masker, &mut hits.sessions);
    Ok(Json(ActiveSessions {
        active_sessions: hits.sessions.into_iter().map(SessionLine::from).collect(),
        total_count: hits.count.number,
    }))
}
