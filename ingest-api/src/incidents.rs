//! Incidents (groups of sessions that belong together) and their summaries.

pub(crate) mod handlers;

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use sqlx::PgConnection;
use tarsy_config::AlertMasker;
use tarsy_model::SessionId;
use tarsy_store::history::{Incident, IncidentMembership, SessionOverview};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions::headline::headline;
use crate::sessions::masking::mask_lines;

/// Incident of a session in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LineIncident {
    incident_id: Uuid,
    /// Sessions in the incident, counted up to 10,000.
    members: i64,
    /// Summary of the incident; only with `lead=true`.
    summary: Option<IncidentSummary>,
}

/// Incident of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionIncident {
    incident_id: Uuid,
    /// Sessions in the incident, without those that were removed.
    members: i64,
    /// When a person removed this session from the incident; null if it was not removed.
    removed_at_us: Option<i64>,
    removed_by: Option<String>,
}

/// Summary of an incident.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Incident)]
pub(crate) struct IncidentSummary {
    pub(crate) incident_id: Uuid,
    /// The session that started first. It represents the incident.
    #[schema(value_type = Uuid)]
    lead_id: SessionId,
    /// Alert name or type of the lead session, masked.
    #[schema(example = "HTTPErrors")]
    name: String,
    /// Target of the lead session's alert, masked.
    #[schema(example = "prod-eu-1 / shop / cart-0")]
    target: Option<String>,
    /// Sessions in the incident.
    members: i64,
    first_started_at_us: i64,
    last_started_at_us: i64,
    /// Sessions that have not ended.
    running: i64,
    /// Sessions that failed.
    failed: i64,
    /// Estimated cost of the sessions that have ended, including their sub-agents and the questions about them.
    cost_usd: Option<f64>,
    /// Approvals that wait for a person.
    open_approvals: i64,
    /// The session whose answer has the best verdict; null while there is no answer.
    #[schema(value_type = Option<Uuid>)]
    answer_id: Option<SessionId>,
    /// Verdict of that answer.
    #[schema(example = "supported")]
    verdict: Option<String>,
    /// That answer, in one line.
    headline: Option<String>,
}

impl LineIncident {
    /// Returns the incident of a session, or `None` if a person took the session out.
    pub(crate) fn of_present(of: &IncidentMembership) -> Option<Self> {
        of.removed_at_us.is_none().then_some(Self {
            incident_id: of.incident_id,
            members: of.members,
            summary: None,
        })
    }
}

impl From<IncidentMembership> for SessionIncident {
    fn from(of: IncidentMembership) -> Self {
        Self {
            incident_id: of.incident_id,
            members: of.members,
            removed_at_us: of.removed_at_us,
            removed_by: of.removed_by,
        }
    }
}

/// Returns the incidents of listed sessions, with their summaries if `sums_up`.
///
/// # Errors
///
/// If the database is unavailable.
pub(crate) async fn line_incidents(
    app: &AppState,
    conn: &mut PgConnection,
    sessions: &[SessionOverview],
    sums_up: bool,
) -> Result<HashMap<SessionId, LineIncident>, Problem> {
    let grouped = sessions.iter().filter(|s| s.incident_id.is_some());
    let ids: Vec<Uuid> = grouped.map(|s| s.session_id.as_uuid()).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found = tarsy_store::history::incidents_of(conn, &ids).await?;
    let mut summaries = HashMap::new();
    if sums_up && !found.is_empty() {
        let distinct: HashSet<Uuid> = found.values().map(|of| of.incident_id).collect();
        let distinct: Vec<Uuid> = distinct.into_iter().collect();
        let read = summed_up(&app.catalog.alert_masker, conn, &distinct).await?;
        summaries.extend(read.into_iter().map(|one| (one.incident_id, one)));
    }
    let lines = found.into_iter().filter_map(|(id, of)| {
        let mut line = LineIncident::of_present(&of)?;
        line.summary = summaries.get(&of.incident_id).cloned();
        // The summary was read later and may count other members. Use its number, so that both agree.
        line.members = line
            .summary
            .as_ref()
            .map_or(line.members, |sum| sum.members);
        Some((id, line))
    });
    Ok(lines.collect())
}

/// Returns the summaries of incidents, in no particular order.
async fn summed_up(
    masker: &AlertMasker,
    conn: &mut PgConnection,
    incident_ids: &[Uuid],
) -> Result<Vec<IncidentSummary>, Problem> {
    let found = tarsy_store::history::incidents(conn, incident_ids).await?;
    let shown = found
        .iter()
        .flat_map(|one| [Some(one.lead_id), one.answer_id]);
    let shown: Vec<Uuid> = shown.flatten().map(SessionId::as_uuid).collect();
    let mut sessions = tarsy_store::history::session_overviews(conn, &shown).await?;
    mask_lines(masker, &mut sessions);
    let sessions: HashMap<SessionId, SessionOverview> = sessions
        .into_iter()
        .map(|session| (session.session_id, session))
        .collect();
    let summary = |one: Incident| {
        let lead = sessions.get(&one.lead_id);
        let answer = one.answer_id.and_then(|id| sessions.get(&id));
        IncidentSummary {
            incident_id: one.incident_id,
            lead_id: one.lead_id,
            name: lead.map_or_else(String::new, |lead| {
                let name = lead.alert_name.as_ref();
                name.unwrap_or(&lead.alert_type).clone()
            }),
            target: lead
                .map(|lead| lead.target.clone())
                .filter(|target| !target.is_empty()),
            members: one.members,
            first_started_at_us: one.first_started_at_us,
            last_started_at_us: one.last_started_at_us,
            running: one.running,
            failed: one.failed,
            cost_usd: one.cost_usd,
            open_approvals: one.open_approvals,
            answer_id: one.answer_id,
            verdict: answer.and_then(|answer| answer.verdict.clone()),
            headline: answer
                .and_then(|answer| answer.analysis_start.as_deref())
                .and_then(headline),
        }
    };
    Ok(found.into_iter().map(summary).collect())
}
