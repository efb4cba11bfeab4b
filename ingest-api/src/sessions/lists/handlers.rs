//! Endpoints of lists and search.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Query, State};
use sqlx::PgConnection;
use tarsy_model::{SessionField, SessionId, SessionStatus};
use tarsy_store::history::{FollowUps, SearchLimits, SessionFilter, SessionOverview};
use uuid::Uuid;

use crate::approvals::waits::SessionWait;
use crate::incidents::line_incidents;
use crate::problem::{FieldError, Problem};
use crate::server::state::AppState;
use crate::sessions::lists::{ActiveSessions, SessionLine, SessionList};
use crate::sessions::masking::mask_lines;
use crate::sessions::query::ListQuery;
use crate::sessions::query_parameters::Pairs;
use crate::sessions::query_parameters::{Paging, SessionFilterParams};

/// List sessions, newest first.
#[utoipa::path(
    get, path = "/api/v1/history/sessions", tag = "history",
    params(
        SessionFilterParams,
        ("search" = Option<String>, Query, description = "Text in alert, errors or analysis; at least 3 characters"),
        Paging,
    ),
    responses(
        (status = 200, description = "A page", body = SessionList),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn sessions(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<SessionList>, Problem> {
    list(&app, ListQuery::read(&pairs)?).await
}

/// Search sessions by text in alert, errors or analysis.
///
/// A session can be found a few seconds after it was accepted. Most searches cover all sessions. A search that no
/// index supports stops after 200 ms. `searched_to_us` then shows how far it got, and `next_cursor` continues there.
#[utoipa::path(
    get, path = "/api/v1/history/search", tag = "history",
    params(
        ("q" = String, Query, description = "3 to 200 characters, case-insensitive", min_length = 3, max_length = 200),
        SessionFilterParams,
        Paging,
    ),
    responses(
        (status = 200, description = "A page", body = SessionList),
        (status = 404, description = "History is disabled"),
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
    // One more row is read to detect whether there is a next page.
    let mut page = query.page;
    page.limit += 1;
    let mut hits = match &query.search {
        Some(text) => {
            let mut limits = SearchLimits::default();
            limits.index = limits.index.filter(|_| !query.resumes);
            tarsy_store::history::search_sessions(&mut conn, text, &query.filter, &page, limits)
                .await?
        }
        None => tarsy_store::history::list_sessions(&mut conn, &query.filter, &page).await?,
    };
    if query.search.is_none()
        && !query.quick_total
        && !hits.count.is_exact
        && let Some(count) = app.totals.count(&mut conn, &query.filter).await?
    {
        hits.count = count;
    }
    mask_lines(&app.catalog.alert_masker, &mut hits.sessions);
    let waits = waits(app, &mut conn, &hits.sessions).await?;
    let sums_up = query.filter.flags.get(&SessionField::Lead) == Some(&true);
    let incidents = line_incidents(app, &mut conn, &hits.sessions, sums_up).await?;
    Ok(Json(SessionList::new(query, hits, waits, incidents)))
}

/// Returns the reasons why sessions that have not ended wait.
pub(crate) async fn waits(
    app: &AppState,
    conn: &mut PgConnection,
    sessions: &[SessionOverview],
) -> Result<HashMap<SessionId, SessionWait>, Problem> {
    let live = sessions
        .iter()
        .filter(|session| session.completed_at_us.is_none());
    let live: Vec<Uuid> = live.map(|session| session.session_id.as_uuid()).collect();
    let waits = tarsy_store::history::wait_of(conn, &live).await?;
    let masker = &app.catalog.alert_masker;
    Ok(waits
        .into_iter()
        .map(|(id, wait)| (id, SessionWait::masked(masker, wait)))
        .collect())
}

/// List running sessions, newest first.
///
/// Sessions that answer follow-up questions are left out.
#[utoipa::path(
    get, path = "/api/v1/history/active-sessions", tag = "history",
    responses(
        (status = 200, description = "The newest 100", body = ActiveSessions),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn active(State(app): State<AppState>) -> Result<Json<ActiveSessions>, Problem> {
    let filter = SessionFilter {
        statuses: vec![SessionStatus::Pending, SessionStatus::InProgress],
        follow_ups: FollowUps::Hide,
        ..SessionFilter::default()
    };
    let page = tarsy_store::history::Page {
        limit: 100,
        ..tarsy_store::history::Page::default()
    };
    let mut conn = app.history().await?;
    let mut hits = tarsy_store::history::list_sessions(&mut conn, &filter, &page).await?;
    mask_lines(&app.catalog.alert_masker, &mut hits.sessions);
    let mut waits = waits(&app, &mut conn, &hits.sessions).await?;
    let mut incidents = line_incidents(&app, &mut conn, &hits.sessions, false).await?;
    Ok(Json(ActiveSessions {
        active_sessions: hits
            .sessions
            .into_iter()
            .map(|session| SessionLine::from(session).with_wait(&mut waits))
            .map(|line| line.with_incident(&mut incidents))
            .collect(),
        total_count: hits.count.number,
    }))
}
