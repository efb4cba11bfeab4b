//! Endpoints of a session's detail, summary and export.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use tarsy_model::{OperatorAction, SessionId};
use tarsy_queue::Unschedulable;
use tarsy_store::history::{Gap, SessionRecord, Spending, StageRecord};
use uuid::Uuid;

use crate::access::Actor;
use crate::approvals::contexts::WaitContexts;
use crate::approvals::wait::WaitDetail;
use crate::approvals::waits::SessionWait;
use crate::incidents::SessionIncident;
use crate::problem::{FieldError, Problem};
use crate::questions::turns::masked_turns;
use crate::server::audit::note;
use crate::server::clock;
use crate::server::operator_request::Reason;
use crate::server::state::AppState;
use crate::sessions::child::{ChildDetail, masked_children};
use crate::sessions::detail::{Messages, SessionDetail};
use crate::sessions::export;
use crate::sessions::masking::mask_session;
use crate::sessions::query::choice;
use crate::sessions::query_parameters::Pairs;
use crate::sessions::summary::Summary;

/// Get a session with its stages and interactions.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}", tag = "history",
    params(
        ("session_id" = String, Path, description = "Session id"),
        ("interactions" = Option<String>, Query, description = "`all` (default), or `none` for only counts and sums; then read `/interactions` page by page", pattern = "^(all|none)$"),
        ("raw" = Option<String>, Query, description = "`true` returns alert and runbook unmasked, requires the role `operator`, and writes an audit entry. By default they are masked", pattern = "^(true|false)$"),
        ("messages" = Option<String>, Query, description = "Messages of each model call: `all` (default), only `new` ones since the previous call, or `none`. `new` keeps responses of long sessions small: each interaction then appears only once, in `chronological_interactions`", pattern = "^(all|new|none)$"),
    ),
    responses(
        (status = 200, description = "The session", body = SessionDetail),
        (status = 403, description = "The role does not allow `raw`"),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn session(
    State(app): State<AppState>,
    actor: Actor,
    Path(id): Path<String>,
    Query(pairs): Pairs,
) -> Result<Json<SessionDetail>, Problem> {
    let raw = choice(&pairs, "raw", &[("true", true), ("false", false)])?;
    let reader = if raw.unwrap_or(false) {
        Reader::Raw(actor)
    } else {
        Reader::Masked
    };
    let messages = choice(&pairs, "messages", &Messages::WORDS)?;
    let whole = choice(&pairs, "interactions", &[("all", true), ("none", false)])?;
    if whole.unwrap_or(true) {
        let messages = messages.unwrap_or_default();
        return Ok(Json(detail(&app, &id, messages, &reader).await?));
    }
    let mut loaded = load_session(&app, &id, &reader).await?;
    let tallies = tarsy_store::history::stage_tallies(&mut loaded.conn, loaded.session_id).await?;
    Ok(Json(
        SessionDetail::without_record(
            loaded.session,
            loaded.stages,
            &tallies.into_iter().collect(),
        )
        .ran_under(loaded.configurations)
        .with_waiting_reasons(&loaded.waiting)
        .with_wait(loaded.wait)
        .with_incident(loaded.incident)
        .with_waits(loaded.waits)
        .with_children(loaded.children, loaded.task)
        .with_spending(loaded.spending)
        .with_gaps(loaded.gaps),
    ))
}

/// A session with its data and the connection for further reads.
struct LoadedSession {
    conn: PoolConnection<Postgres>,
    session_id: SessionId,
    session: SessionRecord,
    stages: Vec<StageRecord>,
    /// Configurations that its stages ran under, by hash.
    configurations: BTreeMap<String, Value>,
    /// Stages that no live worker can run.
    waiting: Vec<(Uuid, Unschedulable)>,
    /// Reason why it waits.
    wait: Option<SessionWait>,
    /// The incident that it belongs to.
    incident: Option<SessionIncident>,
    /// Waits of its stages.
    waits: Vec<WaitDetail>,
    /// Child sessions that its agents dispatched.
    children: Vec<ChildDetail>,
    /// Its task, if an agent dispatched it.
    task: Option<String>,
    /// Tokens and cost, including its sub-agents and the questions about it.
    spending: Spending,
    /// Gaps of the investigation.
    gaps: Vec<Gap>,
}

/// Whether an alert is shown masked or unmasked.
enum Reader {
    /// Masked, as the model saw it.
    Masked,
    /// Unmasked, for this operator, who is named in the audit log.
    Raw(Actor),
}

impl Reader {
    async fn shown(
        &self,
        app: &AppState,
        session: SessionRecord,
    ) -> Result<SessionRecord, Problem> {
        match self {
            Self::Masked => mask_session(&app.catalog.alert_masker, session).await,
            Self::Raw(actor) => {
                note_raw(app, actor, session.session_id).await?;
                Ok(session)
            }
        }
    }
}

/// Writes the audit entry of reading an unmasked alert.
///
/// # Errors
///
/// [`AuthError::Forbidden`](crate::problem::AuthError::Forbidden) unless the actor is an operator.
pub(crate) async fn note_raw(
    app: &AppState,
    actor: &Actor,
    session_id: SessionId,
) -> Result<(), Problem> {
    let mut conn = app.pool.acquire().await?;
    let reason = Reason::not_stated();
    note(
        &mut conn,
        actor,
        OperatorAction::ReadRawSession,
        session_id,
        &reason,
        json!({}),
    )
    .await
}

async fn load_session(app: &AppState, id: &str, reader: &Reader) -> Result<LoadedSession, Problem> {
    let session_id: SessionId = id.parse().map_err(|_| Problem::SessionNotFound)?;
    let mut conn = app.history().await?;
    let session = tarsy_store::history::session_record(&mut conn, session_id)
        .await?
        .ok_or(Problem::SessionNotFound)?;
    let session = reader.shown(app, session).await?;
    let stages = tarsy_store::history::stage_records(&mut conn, session_id).await?;
    let configurations =
        tarsy_store::stage_configurations::configurations_of(&mut conn, session_id).await?;
    let live = stages.iter().filter(|stage| !stage.status.is_terminal());
    let live: Vec<Uuid> = live.map(|stage| stage.execution_id.as_uuid()).collect();
    let waiting = match live.is_empty() {
        true => Vec::new(),
        false => tarsy_queue::unschedulable_of(&mut conn, &live).await?,
    };
    let wait = match session.completed_at_us {
        Some(_) => None,
        None => tarsy_store::history::wait_of(&mut conn, &[session_id.as_uuid()])
            .await?
            .remove(&session_id),
    };
    let incident = match session.incident_id {
        None => None,
        Some(_) => tarsy_store::history::incidents_of(&mut conn, &[session_id.as_uuid()])
            .await?
            .remove(&session_id)
            .map(SessionIncident::from),
    };
    let waits = tarsy_store::waits::waits_of(&mut conn, session_id).await?;
    let contexts = WaitContexts::read(&mut conn, &app.catalog.alert_masker, &waits).await?;
    let waits = waits
        .into_iter()
        .map(|wait| contexts.detail(wait))
        .collect();
    let children = tarsy_store::children::children_of_session(&mut conn, session_id).await?;
    let task = match session.parent_session_id.is_some() && session.conversation_id.is_none() {
        true => tarsy_store::children::task_of_child(&mut conn, session_id).await?,
        false => None,
    };
    let spending = tarsy_store::history::session_spending(&mut conn, session_id).await?;
    let gaps = tarsy_store::history::gaps(&mut conn, session_id).await?;
    let (children, task) = masked_children(&app.catalog.alert_masker, children, task).await?;
    Ok(LoadedSession {
        wait: wait.map(|wait| SessionWait::masked(&app.catalog.alert_masker, wait)),
        conn,
        session_id,
        session,
        stages,
        configurations,
        waiting,
        incident,
        waits,
        children,
        task,
        spending,
        gaps,
    })
}

async fn detail(
    app: &AppState,
    id: &str,
    messages: Messages,
    reader: &Reader,
) -> Result<SessionDetail, Problem> {
    let mut loaded = load_session(app, id, reader).await?;
    let llm = tarsy_store::history::llm_records(&mut loaded.conn, loaded.session_id).await?;
    let mcp = tarsy_store::history::mcp_records(&mut loaded.conn, loaded.session_id).await?;
    let turns = tarsy_store::conversations::turns(&mut loaded.conn, loaded.session_id).await?;
    let mut detail = SessionDetail::new(loaded.session, loaded.stages, llm, mcp, messages)
        .ran_under(loaded.configurations)
        .with_waiting_reasons(&loaded.waiting)
        .with_wait(loaded.wait)
        .with_incident(loaded.incident)
        .with_waits(loaded.waits)
        .with_children(loaded.children, loaded.task)
        .with_spending(loaded.spending)
        .with_gaps(loaded.gaps);
    detail.conversation = masked_turns(&app.catalog.alert_masker, turns).await?;
    Ok(detail)
}

/// Get the metrics of a session.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/summary", tag = "history",
    params(("session_id" = String, Path, description = "Session id")),
    responses(
        (status = 200, description = "Metrics of the session", body = Summary),
        (status = 404, description = "Session not found, or history is disabled"),
    )
)]
pub(crate) async fn summary(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Summary>, Problem> {
    let mut loaded = load_session(&app, &id, &Reader::Masked).await?;
    let figures =
        tarsy_store::history::session_figures(&mut loaded.conn, loaded.session_id).await?;
    Ok(Json(Summary::new(
        &loaded.session,
        &loaded.stages,
        figures,
        loaded.spending.total(),
        clock::now_us(),
    )))
}

/// Export a session.
///
/// Alert and runbook are masked.
#[utoipa::path(
    get, path = "/api/v1/history/sessions/{session_id}/export", tag = "history",
    params(
        ("session_id" = String, Path, description = "Session id"),
        ("format" = Option<String>, Query, description = "json (default), csv or md", pattern = "^(json|csv|md)$"),
    ),
    responses(
        (status = 200, description = "The file", content(
            (SessionDetail = "application/json"), (String = "text/csv"), (String = "text/markdown"),
        )),
        (status = 400, description = "Unknown format"),
        (status = 404, description = "Session not found, or history is disabled"),
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
    let kind = match format {
        "json" => "application/json",
        "csv" => "text/csv; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        _ => {
            return Err(Problem::InvalidParameter(FieldError::new(
                "format",
                "must be json, csv or md",
            )));
        }
    };
    let session = detail(&app, &id, Messages::All, &Reader::Masked).await?;
    let text = match format {
        "csv" => export::csv(&session),
        "md" => export::markdown(&session),
        _ => serde_json::to_string_pretty(&session)
            .map_err(|error| Problem::Internal(error.into()))?,
    };
    let name = format!(
        "attachment; filename=\"session-{}.{format}\"",
        session.session_id
    );
    let mut headers =
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok((headers, text).into_response())
}
