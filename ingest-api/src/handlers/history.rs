//! Reading what happened.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use tarsy_model::{SessionId, SessionOutcome, SessionStatus};
use tarsy_store::{Count, SessionFilter};
use utoipa::ToSchema;

use crate::clock;
use crate::history::detail::{Messages, SessionDetail};
use crate::history::export;
use crate::history::lists::{ActiveSessions, FilterOptions, SessionLine, SessionList, time_ranges};
use crate::history::metrics::Metrics;
use crate::history::query::ListQuery;
use crate::history::summary::Summary;
use crate::problem::{FieldError, Problem, ProblemBody};
use crate::state::AppState;

type Pairs = Query<Vec<(String, String)>>;

/// Sessions, newest first.
#[utoipa::path(
    get, path = "/api/v1/history/sessions", tag = "history",
    params(
        ("status" = Option<Vec<String>>, Query, description = "Any of these: pending, in_progress, completed, failed, cancelled; may be repeated"),
        ("agent_type" = Option<String>, Query, description = "`chain:<chain_id>`"),
        ("alert_type" = Option<String>, Query, description = "This alert type"),
        ("chain_id" = Option<String>, Query, description = "This chain"),
        ("severity" = Option<String>, Query, description = "This severity"),
        ("outcome" = Option<String>, Query, description = "completed, partial or failed", pattern = "^(completed|partial|failed)$"),
        ("start_date_us" = Option<i64>, Query, description = "Started then or later, Unix microseconds", minimum = 0),
        ("end_date_us" = Option<i64>, Query, description = "Started before, Unix microseconds", minimum = 0),
        ("start_date" = Option<String>, Query, description = "Started then or later, RFC 3339"),
        ("end_date" = Option<String>, Query, description = "Started before, RFC 3339"),
        ("search" = Option<String>, Query, description = "Text of 3 characters or more in alert, errors or analysis"),
        ("sort_by" = Option<String>, Query, description = "started_at_us (default), completed_at_us or duration_ms", pattern = "^(started_at_us|completed_at_us|duration_ms)$"),
        ("sort_order" = Option<String>, Query, description = "desc (default) or asc", pattern = "^(desc|asc)$"),
        ("page" = Option<i64>, Query, description = "From 1", minimum = 1),
        ("page_size" = Option<i64>, Query, description = "1 to 100; default 20", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before; fast at any depth"),
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
/// Takes every parameter of the list. A session is found a few seconds after it was accepted.
#[utoipa::path(
    get, path = "/api/v1/history/search", tag = "history",
    params(
        ("q" = String, Query, description = "3 to 200 characters, in any case", min_length = 3, max_length = 200),
        ("page" = Option<i64>, Query, description = "From 1", minimum = 1),
        ("page_size" = Option<i64>, Query, description = "1 to 100; default 20", minimum = 1, maximum = 100),
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
    let (sessions, count) = match &query.search {
        Some(text) => {
            let hits = tarsy_store::search_sessions(&mut conn, text, &query.filter, &page).await?;
            (hits.sessions, hits.count)
        }
        None => {
            let sessions = tarsy_store::list_sessions(&mut conn, &query.filter, &page).await?;
            (
                sessions,
                tarsy_store::count_sessions(&mut conn, &query.filter).await?,
            )
        }
    };
    Ok(Json(SessionList::of(query, sessions, count)))
}

/// A session with its stages and interactions.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}", tag = "history",
    params(
        ("session_id" = String, Path, description = "The session"),
        ("messages" = Option<String>, Query, description = "With each model call: `all` that the model saw (default), only what is `new` since the call before, or `none`. Long sessions are shown in time with `new`: each interaction is told once then, in `chronological_interactions`", pattern = "^(all|new|none)$"),
    ),
    responses(
        (status = 200, description = "Everything that was recorded", body = SessionDetail),
        (status = 400, description = "A parameter is not valid", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Unknown session, or history is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn session(
    State(app): State<AppState>,
    Path(id): Path<String>,
    Query(pairs): Pairs,
) -> Result<Json<SessionDetail>, Problem> {
    let messages = match pairs.iter().find(|(name, _)| name == "messages") {
        None => Messages::default(),
        Some((name, value)) => {
            let known = Messages::WORDS.iter().find(|(word, _)| word == value);
            let known = known.map(|(_, messages)| *messages);
            known.ok_or_else(|| {
                Problem::InvalidParameter(FieldError::new(name, "must be all, new or none"))
            })?
        }
    };
    Ok(Json(detail(&app, &id, messages).await?))
}

async fn detail(app: &AppState, id: &str, messages: Messages) -> Result<SessionDetail, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let session = tarsy_store::session_record(&mut conn, session_id)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    let stages = tarsy_store::stage_records(&mut conn, session_id).await?;
    let llm = tarsy_store::llm_records(&mut conn, session_id).await?;
    let mcp = tarsy_store::mcp_records(&mut conn, session_id).await?;
    Ok(SessionDetail::of(session, stages, llm, mcp, messages))
}

/// A session in figures.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/summary", tag = "history",
    params(("session_id" = String, Path, description = "The session")),
    responses(
        (status = 200, description = "Sums", body = Summary),
        (status = 404, description = "Unknown session, or history is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn summary(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Summary>, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let session = tarsy_store::session_record(&mut conn, session_id)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    let stages = tarsy_store::stage_records(&mut conn, session_id).await?;
    let figures = tarsy_store::session_figures(&mut conn, session_id).await?;
    Ok(Json(Summary::of(
        &session,
        &stages,
        figures,
        clock::now_us(),
    )))
}

/// A session as a file.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/export", tag = "history",
    params(
        ("session_id" = String, Path, description = "The session"),
        ("format" = Option<String>, Query, description = "json (default), csv or md", pattern = "^(json|csv|md)$"),
    ),
    responses(
        (status = 200, description = "The file", content(
            (SessionDetail = "application/json"), (String = "text/csv"), (String = "text/markdown"),
        )),
        (status = 400, description = "Unknown format", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Unknown session, or history is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn export(
    State(app): State<AppState>,
    Path(id): Path<String>,
    Query(pairs): Pairs,
) -> Result<Response, Problem> {
    let format = pairs
        .iter()
        .find(|(name, _)| name == "format")
        .map_or("json", |(_, value)| value.as_str());
    let (kind, write): (_, fn(&SessionDetail) -> String) = match format {
        "json" => ("application/json", |session| {
            serde_json::to_string_pretty(session).unwrap_or_default()
        }),
        "csv" => ("text/csv; charset=utf-8", export::csv),
        "md" => ("text/markdown; charset=utf-8", export::markdown),
        _ => {
            return Err(Problem::InvalidParameter(FieldError::new(
                "format",
                "must be json, csv or md",
            )));
        }
    };
    let session = detail(&app, &id, Messages::All).await?;
    let name = format!(
        "attachment; filename=\"session-{}.{format}\"",
        session.session_id
    );
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok((headers, write(&session)).into_response())
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
    let sessions = tarsy_store::list_sessions(&mut conn, &filter, &page).await?;
    let Count { number, .. } = tarsy_store::count_sessions(&mut conn, &filter).await?;
    let active_sessions = sessions.into_iter().map(SessionLine::from).collect();
    Ok(Json(ActiveSessions {
        active_sessions,
        total_count: number,
    }))
}

/// What lists can be filtered by.
#[utoipa::path(
    get, path = "/api/v1/history/filter-options", tag = "history",
    responses(
        (status = 200, description = "Choices", body = FilterOptions),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn filter_options(
    State(app): State<AppState>,
) -> Result<Json<FilterOptions>, Problem> {
    let mut conn = app.history().await?;
    let mut found = tarsy_store::facets(&mut conn).await?;
    found.alert_types.extend(app.catalog.alert_types());
    found.chain_ids.extend(app.catalog.chain_ids());
    for values in [&mut found.alert_types, &mut found.chain_ids] {
        values.sort_unstable();
        values.dedup();
    }
    Ok(Json(FilterOptions {
        agent_types: found
            .chain_ids
            .iter()
            .map(|chain| format!("chain:{chain}"))
            .collect(),
        alert_types: found.alert_types,
        chain_ids: found.chain_ids,
        severities: found.severities,
        status_options: SessionStatus::ALL
            .iter()
            .map(|status| status.as_str())
            .collect(),
        outcome_options: SessionOutcome::ALL
            .iter()
            .map(|outcome| outcome.as_str())
            .collect(),
        time_ranges: time_ranges(),
    }))
}

/// Figures of the last hours.
#[utoipa::path(
    get, path = "/api/v1/history/metrics", tag = "history", operation_id = "history_metrics",
    params(("hours" = Option<i64>, Query, description = "1 to 720; default 24", minimum = 1, maximum = 720)),
    responses(
        (status = 200, description = "Sums", body = Metrics),
        (status = 400, description = "A parameter is not valid", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn metrics(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<Metrics>, Problem> {
    let hours = match pairs.iter().find(|(name, _)| name == "hours") {
        None => 24,
        Some((name, value)) => {
            let hours = value.parse().ok().filter(|hours| (1..=720).contains(hours));
            hours.ok_or_else(|| {
                Problem::InvalidParameter(FieldError::new(
                    name,
                    "must be a whole number from 1 to 720",
                ))
            })?
        }
    };
    let from_us = clock::now_us() - hours * 3_600_000_000;
    let mut conn = app.history().await?;
    Ok(Json(Metrics::of(
        hours,
        from_us,
        &tarsy_store::figures_by_hour(&mut conn, from_us).await?,
    )))
}

/// The state of history.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryHealth {
    #[schema(example = "healthy")]
    status: &'static str,
    service: &'static str,
    /// Now, Unix microseconds.
    timestamp_us: i64,
    details: HistoryHealthDetails,
}

/// What it consists of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryHealthDetails {
    enabled: bool,
    database_connected: bool,
    retention_days: u64,
}

/// Whether history can be read; always 200.
#[utoipa::path(
    get, path = "/api/v1/history/health", tag = "history", operation_id = "history_health",
    responses((status = 200, description = "Its state", body = HistoryHealth))
)]
pub(crate) async fn health(State(app): State<AppState>) -> Json<HistoryHealth> {
    let database_connected = app.database_answers().await;
    let enabled = app.history.enabled;
    Json(HistoryHealth {
        status: match (enabled, database_connected) {
            (false, _) => "disabled",
            (true, false) => "unhealthy",
            (true, true) => "healthy",
        },
        service: "alert_processing_history",
        timestamp_us: clock::now_us(),
        details: HistoryHealthDetails {
            enabled,
            database_connected,
            retention_days: app.catalog.retention_days(),
        },
    })
}
