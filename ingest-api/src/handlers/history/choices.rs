//! What lists can be narrowed by, and how many sessions that would leave.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Query, State};
use serde::Serialize;
use tarsy_model::{AnswerRating, SessionField, SessionOutcome, SessionStatus};
use tarsy_store::Facet;
use utoipa::ToSchema;

use super::Pairs;
use super::parameters::Narrowing;
use crate::history::lists::{FilterOptions, time_ranges};
use crate::history::query::ListQuery;
use crate::problem::{Problem, ProblemBody};
use crate::state::AppState;

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
    let mut agents = tarsy_store::trait_values(&mut conn, SessionField::Agent).await?;
    agents.extend(app.catalog.agent_names());
    agents.sort_unstable();
    agents.dedup();
    // Senders choose these. One that holds a secret is not offered.
    let masker = &app.catalog.alert_masker;
    let is_shown = |value: &String| masker.text(value) == *value;
    found.severities.retain(is_shown);
    let mut values = async |field| {
        let mut values = tarsy_store::trait_values(&mut conn, field).await?;
        values.retain(is_shown);
        Ok::<_, Problem>(values)
    };
    Ok(Json(FilterOptions {
        sources: values(SessionField::Source).await?,
        environments: values(SessionField::Environment).await?,
        clusters: values(SessionField::Cluster).await?,
        agents,
        rating_options: AnswerRating::WORDS.to_vec(),
        agent_types: found
            .chain_ids
            .iter()
            .map(|chain| format!("chain:{chain}"))
            .collect(),
        alert_types: found.alert_types,
        chain_ids: found.chain_ids,
        severities: found.severities,
        status_options: SessionStatus::WORDS.to_vec(),
        outcome_options: SessionOutcome::WORDS.to_vec(),
        time_ranges: time_ranges(),
    }))
}

/// Numbers of sessions by the values of each filter.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetList {
    status: FacetValues,
    outcome: FacetValues,
    severity: FacetValues,
    alert_type: FacetValues,
    chain_id: FacetValues,
}

/// One filter's values.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetValues {
    /// Sessions that each value would leave; a value without any is not named.
    #[schema(example = json!({"failed": 3}))]
    values: BTreeMap<String, i64>,
    /// Whether all that match were counted; else only the newest 10,000, of a text the newest 2,000
    /// or those that were found in time.
    is_exact: bool,
}

/// How many sessions each value of a filter would leave, the other filters as they are.
#[utoipa::path(
    get, path = "/api/v1/history/facets", tag = "history",
    params(
        Narrowing,
        ("search" = Option<String>, Query, description = "Text of 3 characters or more in alert, errors or analysis"),
    ),
    responses(
        (status = 200, description = "Numbers", body = FacetList),
        (status = 400, description = "A parameter is not valid", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "History is off", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn facets(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<FacetList>, Problem> {
    let query = ListQuery::read(&pairs)?;
    // A key of its own for each filter.
    let asked = serde_json::to_string(&query.applied).unwrap_or_default();
    if let Some(list) = app.facets.fresh(&asked) {
        return Ok(Json(list));
    }
    let mut conn = app.history().await?;
    let holding = match &query.search {
        Some(text) => Some(tarsy_store::holding(&mut conn, text).await?),
        None => None,
    };
    let mut list = FacetList::default();
    for facet in Facet::ALL {
        let counts =
            tarsy_store::facet_counts(&mut conn, facet, &query.filter, holding.as_ref()).await?;
        *list.of(facet) = FacetValues {
            values: counts.values.into_iter().collect(),
            is_exact: counts.is_exact,
        };
    }
    app.facets.keep(asked, &list);
    Ok(Json(list))
}

/// Facets of the last second: all who watch the same list are answered by one count.
#[derive(Debug, Default)]
pub(crate) struct RecentFacets(Mutex<HashMap<String, (Instant, FacetList)>>);

impl RecentFacets {
    /// How long an answer is given again; screens ask every three seconds.
    const FRESH: Duration = Duration::from_secs(1);

    fn fresh(&self, asked: &str) -> Option<FacetList> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, list) = kept.get(asked)?;
        (at.elapsed() < Self::FRESH).then(|| list.clone())
    }

    fn keep(&self, asked: String, list: &FacetList) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (at, _)| at.elapsed() < Self::FRESH);
        kept.insert(asked, (Instant::now(), list.clone()));
    }
}

impl FacetList {
    fn of(&mut self, facet: Facet) -> &mut FacetValues {
        match facet {
            Facet::Status => &mut self.status,
            Facet::Outcome => &mut self.outcome,
            Facet::Severity => &mut self.severity,
            Facet::AlertType => &mut self.alert_type,
            Facet::Chain => &mut self.chain_id,
        }
    }
}
