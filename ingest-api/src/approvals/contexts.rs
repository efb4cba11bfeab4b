//! Adds the information to waits that people need before they decide.

use std::collections::{BTreeSet, HashMap};

use sqlx::PgConnection;
use tarsy_chain::{ChainDefinition, SessionState, StageDefinition};
use tarsy_config::AlertMasker;
use tarsy_model::{SessionId, WaitId, WaitSort, visible};
use tarsy_store::history::IncidentMembership;
use tarsy_store::wait_context::{StageConclusion, WaitContext};
use tarsy_store::waits::WaitRecord;
use uuid::Uuid;

use crate::approvals::foresee::{Consequence, foresee};
use crate::approvals::wait::{NextStage, WaitConsequence, WaitDetail, WaitEvidence};
use crate::incidents::LineIncident;
use crate::problem::Problem;
use crate::sessions::headline::headline;
use crate::sessions::masking::mask_text;

/// Information about waits that is not in their rows.
pub(crate) struct WaitContexts<'a> {
    masker: &'a AlertMasker,
    contexts: HashMap<WaitId, WaitContext>,
    /// Sessions with an open gate.
    states: HashMap<SessionId, SessionState>,
    conclusions: Vec<StageConclusion>,
    incidents: HashMap<SessionId, IncidentMembership>,
}

impl<'a> WaitContexts<'a> {
    /// Reads the information for all waits at once.
    ///
    /// # Errors
    ///
    /// If the database is unavailable.
    pub(crate) async fn read(
        conn: &mut PgConnection,
        masker: &'a AlertMasker,
        waits: &[WaitRecord],
    ) -> Result<Self, Problem> {
        let ids: Vec<WaitId> = waits.iter().map(|wait| wait.wait_id).collect();
        let contexts = match ids.is_empty() {
            true => Vec::new(),
            false => tarsy_store::wait_context::wait_contexts(conn, &ids).await?,
        };
        let sessions: BTreeSet<SessionId> = waits.iter().map(|wait| wait.session_id).collect();
        let sessions: Vec<Uuid> = sessions.into_iter().map(SessionId::as_uuid).collect();
        let incidents = match sessions.is_empty() {
            true => HashMap::new(),
            false => tarsy_store::history::incidents_of(conn, &sessions).await?,
        };
        let gated = waits.iter().filter(|wait| is_open_gate(wait));
        let gated: BTreeSet<SessionId> = gated.map(|wait| wait.session_id).collect();
        let gated: Vec<SessionId> = gated.into_iter().collect();
        let (states, conclusions) = match gated.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => (
                tarsy_store::chains::load_chains(conn, &gated).await?,
                tarsy_store::wait_context::stage_conclusions(conn, &gated).await?,
            ),
        };
        // Chains that a newer version wrote can't be read here, so their waits have no consequences.
        let states = states.into_iter().flatten();
        Ok(Self {
            masker,
            contexts: contexts
                .into_iter()
                .map(|context| (context.wait_id, context))
                .collect(),
            states: states.map(|state| (state.session_id, state)).collect(),
            conclusions,
            incidents,
        })
    }

    /// Returns the wait as the API shows it.
    pub(crate) fn detail(&self, wait: WaitRecord) -> WaitDetail {
        let (id, session_id, execution_id) = (wait.wait_id, wait.session_id, wait.execution_id);
        let stage_index = usize::try_from(wait.stage_index).unwrap_or_default();
        let state = self.states.get(&session_id);
        let state = state.filter(|_| is_open_gate(&wait));
        let mut detail = WaitDetail::from(wait);
        if let Some(context) = self.contexts.get(&id) {
            let shown = |text: &Option<String>| self.shown(text.clone());
            detail.alert_name = shown(&context.alert_name);
            detail.cluster = shown(&context.cluster);
            detail.namespace = shown(&context.namespace);
            detail.object = shown(&context.object);
            let conclusion = context.conclusion_start.as_deref().and_then(headline);
            let summary = || context.summary.as_deref().and_then(headline);
            detail.headline = self.shown(conclusion.or_else(summary));
        }
        let incident = self.incidents.get(&session_id);
        detail.incident = incident.and_then(LineIncident::of_present);
        if let Some(state) = state {
            detail.evidence = self.evidence(state, stage_index);
            let chain = &state.chain;
            detail.on_approve = Some(consequence(chain, foresee(state, execution_id, true)));
            detail.on_deny = Some(consequence(chain, foresee(state, execution_id, false)));
        }
        detail
    }

    /// Returns the conclusions of the stages that a gate needs. A stage that waits has no
    /// conclusion, so the stages that it needs take its place.
    fn evidence(&self, state: &SessionState, gate: usize) -> Vec<WaitEvidence> {
        let stages = &state.chain.stages;
        let of = |index: usize| {
            let own = self.conclusions.iter();
            let index = i32::try_from(index).unwrap_or(i32::MAX);
            own.filter(move |c| c.session_id == state.session_id && c.stage_index == index)
        };
        let mut open = direct_needs(stages, gate);
        let mut seen = BTreeSet::new();
        while let Some(index) = open.pop() {
            let is_wait = stages
                .get(index)
                .is_some_and(|stage| stage.kind.as_wait().is_some());
            if is_wait {
                open.extend(direct_needs(stages, index));
            } else {
                seen.insert(index);
            }
        }
        seen.into_iter()
            .flat_map(of)
            .map(|concluded| WaitEvidence {
                stage_name: concluded.stage_name.clone(),
                branch_name: concluded.branch_name.clone(),
                status: concluded.status,
                conclusion: self.shown(concluded.conclusion.clone()),
            })
            .collect()
    }

    /// Returns a text of the alert or of a model as people who decide see it: masked, and with
    /// invisible characters made visible.
    fn shown(&self, text: Option<String>) -> Option<String> {
        mask_text(self.masker, text).map(|text| visible(&text))
    }
}

/// Returns the positions of the stages that a stage needs directly.
fn direct_needs(stages: &[StageDefinition], index: usize) -> Vec<usize> {
    match stages.get(index).map(|stage| &stage.needs) {
        None => Vec::new(),
        Some(None) => index.checked_sub(1).into_iter().collect(),
        Some(Some(names)) => {
            let earlier = 0..index;
            let is_needed = |at: &usize| names.contains(&stages[*at].name);
            earlier.filter(is_needed).collect()
        }
    }
}

fn is_open_gate(wait: &WaitRecord) -> bool {
    wait.sort == WaitSort::Approval && wait.decision.is_none() && wait.is_live
}

fn consequence(chain: &ChainDefinition, found: Consequence) -> WaitConsequence {
    let stage = |index: usize| chain.stages.get(index);
    let runs = found.runs.into_iter().filter_map(stage);
    let skips = found.skips.into_iter().filter_map(stage);
    WaitConsequence {
        runs: runs
            .map(|stage| NextStage {
                name: stage.name.clone(),
                agent: stage.kind.shown_actor().into_owned(),
            })
            .collect(),
        skips: skips.map(|stage| stage.name.clone()).collect(),
        ends: found.ends,
    }
}
