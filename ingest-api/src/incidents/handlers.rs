//! Endpoints of incidents.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use tarsy_config::AlertMasker;
use tarsy_model::visible;
use tarsy_store::history::IncidentPlace;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::incidents::{IncidentSummary, summed_up};
use crate::problem::Problem;
use crate::server::operator_request::{PageSize, ValidQuery, invalid};
use crate::server::state::AppState;
use crate::sessions::lists::SessionLine;
use crate::sessions::lists::handlers::waits;
use crate::sessions::masking::mask_lines;

/// Maximum number of removed sessions that are listed with an incident.
const MOST_REMOVED: i64 = 100;

/// Parameters of a page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paged {
    /// `next` of the previous page.
    after: Option<String>,
    /// 1 to 200; default 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// A page of incidents; the one that started last comes first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Incidents {
    incidents: Vec<IncidentSummary>,
    /// Cursor of the next page, for `after`; null at the end. A page may be shorter than its limit.
    next: Option<String>,
}

/// An incident with its sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IncidentDetail {
    incident: IncidentSummary,
    /// Why these sessions belong together, masked.
    reasons: Vec<GroupingReason>,
    /// The sessions in the order in which they started.
    members: Vec<SessionLine>,
    /// Cursor of the next sessions, for `after`; null at the end.
    next: Option<String>,
    /// Sessions that a person removed from the incident, at most 100.
    removed: Vec<RemovedMember>,
}

/// Reason why sessions belong together.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GroupingReason {
    /// `target`: alerts about the same target started within 10 minutes of one another. `cause`: checked root causes
    /// have the same names, within an hour.
    #[schema(example = "target")]
    kind: String,
    /// For a target: cluster, and namespace or object. For a cause: cluster, and the names of the root cause.
    #[schema(example = "prod-eu-1 / shop")]
    shared: String,
}

/// A session that a person removed from an incident.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RemovedMember {
    session: SessionLine,
    removed_at_us: i64,
    removed_by: Option<String>,
}

/// List incidents.
///
/// An incident is a group of sessions about one target at one time, or with one root cause.
#[utoipa::path(
    get, path = "/api/v1/incidents", tag = "history", operation_id = "list_incidents", params(Paged),
    responses(
        (status = 200, description = "Incidents", body = Incidents),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    ValidQuery(wanted): ValidQuery<Paged>,
) -> Result<Json<Incidents>, Problem> {
    let page = PageSize::from_limit(wanted.limit)?;
    let before = place(wanted.after.as_deref())?;
    let mut conn = app.history().await?;
    let found = tarsy_store::history::list_incidents(&mut conn, before, page.to_read()).await?;
    let (found, next) = page.cut(found, |(_, place)| written(*place));
    let order: HashMap<Uuid, usize> = found.iter().map(|(id, _)| *id).zip(0..).collect();
    let ids: Vec<Uuid> = found.into_iter().map(|(id, _)| id).collect();
    let mut incidents = summed_up(&app.catalog.alert_masker, &mut conn, &ids).await?;
    incidents.sort_by_key(|one| order.get(&one.incident_id).copied());
    Ok(Json(Incidents { incidents, next }))
}

/// Get an incident with its sessions.
///
/// Also returns the reasons why the sessions belong together.
#[utoipa::path(
    get, path = "/api/v1/incidents/{incident_id}", tag = "history", operation_id = "show_incident",
    params(("incident_id" = Uuid, Path, description = "Incident id"), Paged),
    responses(
        (status = 200, description = "The incident", body = IncidentDetail),
        (status = 404, description = "Incident not found, or history is disabled"),
    )
)]
pub(crate) async fn show(
    State(app): State<AppState>,
    Path(incident_id): Path<String>,
    ValidQuery(wanted): ValidQuery<Paged>,
) -> Result<Json<IncidentDetail>, Problem> {
    let id: Uuid = incident_id.parse().map_err(|_| Problem::IncidentNotFound)?;
    let page = PageSize::from_limit(wanted.limit)?;
    let after = place(wanted.after.as_deref())?;
    let masker = &app.catalog.alert_masker;
    let mut conn = app.history().await?;
    // Read from one snapshot, so that summary and members agree even if a session joins the
    // incident meanwhile.
    let mut conn = tarsy_store::history::snapshot(&mut conn).await?;
    let summary = summed_up(masker, &mut conn, &[id]).await?.pop();
    let incident = summary.ok_or(Problem::IncidentNotFound)?;
    let keys = tarsy_store::history::incident_keys(&mut conn, id).await?;
    let read = page.to_read();
    let members = tarsy_store::history::incident_members(&mut conn, id, false, after, read).await?;
    let (mut members, next) = page.cut(members, |member| {
        written((member.started_at_us, member.session_id.as_uuid()))
    });
    mask_lines(masker, &mut members);
    let mut waiting = waits(&app, &mut conn, &members).await?;
    let mut removed =
        tarsy_store::history::incident_members(&mut conn, id, true, None, MOST_REMOVED).await?;
    mask_lines(masker, &mut removed);
    let ids: Vec<Uuid> = removed.iter().map(|s| s.session_id.as_uuid()).collect();
    let mut taken_out = tarsy_store::history::incidents_of(&mut conn, &ids).await?;
    let removed = removed.into_iter().filter_map(|session| {
        let of = taken_out.remove(&session.session_id)?;
        Some(RemovedMember {
            session: session.into(),
            removed_at_us: of.removed_at_us?,
            removed_by: of.removed_by,
        })
    });
    Ok(Json(IncidentDetail {
        incident,
        reasons: keys
            .iter()
            .filter_map(|key| GroupingReason::read(masker, key))
            .collect(),
        members: members
            .into_iter()
            .map(|session| SessionLine::from(session).with_wait(&mut waiting))
            .collect(),
        next,
        removed: removed.collect(),
    }))
}

impl GroupingReason {
    /// Parses a key like `target=prod / shop`.
    fn read(masker: &AlertMasker, key: &str) -> Option<Self> {
        let (kind, shared) = key.split_once('=')?;
        Some(Self {
            kind: kind.to_owned(),
            shared: visible(&masker.text(shared)),
        })
    }
}

fn written((started_at_us, session_id): IncidentPlace) -> String {
    format!("{started_at_us}_{session_id}")
}

fn place(cursor: Option<&str>) -> Result<Option<IncidentPlace>, Problem> {
    let Some(text) = cursor else {
        return Ok(None);
    };
    let read = text
        .split_once('_')
        .and_then(|(us, id)| Some((us.parse().ok()?, id.parse().ok()?)));
    match read {
        Some(place) => Ok(Some(place)),
        None => Err(invalid("after", "must be `next` of the previous page")),
    }
}
