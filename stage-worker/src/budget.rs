//! Daily spending limits, which decide whether a stage may begin.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tarsy_chain::StageDefinition;
use tarsy_config::{Beyond, Overspent, SpendingLimits, strictest};
use tarsy_model::SUB_AGENT_CHAIN;
use tarsy_queue::Connections;
use tarsy_store::stages::BegunStage;
use tarsy_store::waits::SpendingState;
use tokio::sync::Mutex;

use crate::runner::{BoxError, SpendingQuestion, StageEnd};

/// Error class of a stage that is beyond a limit.
const CLASS: &str = "budget";
/// How long sums are used before they are read again. Spending of other processes is seen after at most this delay.
const FRESH: Duration = Duration::from_secs(5);

/// Checks stages against the daily limits of their chain and of all chains together.
pub(crate) struct Budget {
    connections: Connections,
    spent: Mutex<Option<Spent>>,
}

/// Today's spending, as far as this process knows.
struct Spent {
    read: Instant,
    by_chain: HashMap<String, f64>,
}

impl Budget {
    pub(crate) fn new(connections: Connections) -> Self {
        Self {
            connections,
            spent: Mutex::new(None),
        }
    }

    /// Returns how a stage ends that may not begin because of a limit; `None` if it may begin.
    ///
    /// A stage that has already called a model continues. So does a stage whose session a person allowed to continue,
    /// but not beyond a limit at which stages fail.
    pub(crate) async fn refuse(
        &self,
        limits: &SpendingLimits,
        stage: &BegunStage,
    ) -> Result<Option<StageEnd>, BoxError> {
        if !asks_model(stage) {
            return Ok(None);
        }
        let Some(chain_id) = self.limited_chain(limits, stage).await? else {
            return Ok(None);
        };
        let mut known = self.spent.lock().await;
        if known
            .as_ref()
            .is_none_or(|spent| spent.read.elapsed() > FRESH)
        {
            *known = Some(self.read().await?);
        }
        let Some(spent) = known.as_ref() else {
            return Ok(None);
        };
        let of_chain = spent.by_chain.get(&chain_id).copied().unwrap_or(0.0);
        let of_fleet = spent.by_chain.values().sum();
        drop(known);
        let Some(over) = strictest(limits.reached(&chain_id, of_chain, of_fleet)) else {
            return Ok(None);
        };
        let end = self.beyond(over, stage).await?;
        if end.is_some() {
            tarsy_metrics::jobs::over_budget(&chain_id);
        }
        Ok(end)
    }

    /// Returns how a stage beyond a limit ends; `None` if it continues anyway.
    async fn beyond(
        &self,
        over: Overspent,
        stage: &BegunStage,
    ) -> Result<Option<StageEnd>, BoxError> {
        let failed = |reason: String| {
            Some(StageEnd::Failed {
                reason,
                class: CLASS.to_owned(),
            })
        };
        if over.beyond == Beyond::Fail && !stage.resumed {
            return Ok(failed(over.reason));
        }
        let state = self.state(stage).await?;
        if state.has_asked {
            return Ok(None);
        }
        let Beyond::Wait { role, expires_ms } = over.beyond else {
            return Ok(failed(over.reason));
        };
        if state.is_approved {
            return Ok(None);
        }
        if let Some(refusal) = state.refusal {
            return Ok(failed(refusal));
        }
        Ok(Some(StageEnd::WaitToSpend(Box::new(SpendingQuestion {
            reason: over.reason,
            role,
            expires_ms,
        }))))
    }

    async fn state(&self, stage: &BegunStage) -> Result<SpendingState, BoxError> {
        let (session, execution) = (stage.data.session_id, stage.execution_id);
        let reading = self
            .connections
            .run(async |conn| tarsy_store::waits::spending_state(conn, session, execution).await);
        Ok(reading.await?)
    }

    /// Adds what a stage of this process has spent. If the stage did not complete, the sums are read again.
    pub(crate) async fn note(&self, limits: &SpendingLimits, stage: &BegunStage, end: &StageEnd) {
        let chain = self.limited_chain(limits, stage).await;
        if matches!(chain, Ok(None)) {
            return;
        }
        let cost = match end {
            StageEnd::Completed { output } => output["cost"]["usd"].as_f64(),
            _ => None,
        };
        let mut known = self.spent.lock().await;
        match (cost.zip(chain.ok().flatten()), known.as_mut()) {
            // The cost of a resumed stage includes calls that the sums already contain.
            (Some((cost, chain)), Some(spent)) if !stage.resumed => {
                *spent.by_chain.entry(chain).or_default() += cost;
            }
            _ => *known = None,
        }
    }

    /// Returns the chain whose limits apply to a stage, if any. A child session counts for the chain of its topmost
    /// ancestor.
    async fn limited_chain(
        &self,
        limits: &SpendingLimits,
        stage: &BegunStage,
    ) -> Result<Option<String>, BoxError> {
        if limits.are_none() {
            return Ok(None);
        }
        let chain_id = match stage.data.chain_id.as_str() {
            SUB_AGENT_CHAIN => {
                let session_id = stage.data.session_id;
                let reading = self.connections.run(async |conn| {
                    tarsy_store::children::chain_of_child(conn, session_id).await
                });
                reading.await?
            }
            _ => None,
        };
        let chain_id = chain_id.unwrap_or_else(|| stage.data.chain_id.clone());
        Ok((!limits.is_unlimited(&chain_id)).then_some(chain_id))
    }

    async fn read(&self) -> Result<Spent, BoxError> {
        let read = Instant::now();
        let reading = self.connections.run(tarsy_store::usage::spent_today);
        let chains = reading.await?;
        Ok(Spent {
            read,
            by_chain: chains
                .into_iter()
                .map(|chain| (chain.chain_id, chain.cost_usd))
                .collect(),
        })
    }
}

/// Returns whether the stage calls a model. If its definition is missing, it may.
fn asks_model(stage: &BegunStage) -> bool {
    let definition: Option<&StageDefinition> = usize::try_from(stage.stage_index)
        .ok()
        .and_then(|index| stage.stages.get(index));
    definition.is_none_or(|definition| definition.kind.asks_model())
}
