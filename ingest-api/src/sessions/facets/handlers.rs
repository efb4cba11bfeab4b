//! Filter options and facet counts.

use axum::Json;
use axum::extract::{Query, State};
use tarsy_model::{AnswerRating, SessionField, SessionOutcome, SessionStatus, SessionVerdict};
use tarsy_store::history::Facet;

use crate::problem::Problem;
use crate::server::state::AppState;
use crate::sessions::facets::{FacetList, FacetValues};
use crate::sessions::lists::{FilterOptions, time_ranges};
use crate::sessions::query::ListQuery;
use crate::sessions::query_parameters::Pairs;
use crate::sessions::query_parameters::SessionFilterParams;

/// List the values of the session filters.
#[utoipa::path(
    get, path = "/api/v1/history/filter-options", tag = "history",
    responses(
        (status = 200, description = "Filter values", body = FilterOptions),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn filter_options(
    State(app): State<AppState>,
) -> Result<Json<FilterOptions>, Problem> {
    let mut conn = app.history().await?;
    let mut found = tarsy_store::history::facets(&mut conn).await?;
    found.alert_types.extend(app.catalog.chains.alert_types());
    found.chain_ids.extend(app.catalog.chains.chain_ids());
    for values in [&mut found.alert_types, &mut found.chain_ids] {
        values.sort_unstable();
        values.dedup();
    }
    let mut agents = tarsy_store::history::trait_values(&mut conn, SessionField::Agent).await?;
    agents.extend(app.catalog.agent_names());
    agents.sort_unstable();
    agents.dedup();
    let assignees = tarsy_store::history::assignees(&mut conn).await?;
    // Senders choose these values. Values that contain a secret are left out.
    let masker = &app.catalog.alert_masker;
    let is_shown = |value: &String| masker.text(value) == *value;
    found.severities.retain(is_shown);
    let mut values = async |field| {
        let mut values = tarsy_store::history::trait_values(&mut conn, field).await?;
        values.retain(is_shown);
        Ok::<_, Problem>(values)
    };
    Ok(Json(FilterOptions {
        sources: values(SessionField::Source).await?,
        environments: values(SessionField::Environment).await?,
        clusters: values(SessionField::Cluster).await?,
        namespaces: values(SessionField::Namespace).await?,
        assignees,
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
        verdict_options: SessionVerdict::WORDS.to_vec(),
        labels: app.catalog.labels(),
        time_ranges: time_ranges(),
    }))
}

/// Count sessions for each value of each filter.
///
/// The counts of a filter's values take the other filters into account.
#[utoipa::path(
    get, path = "/api/v1/history/facets", tag = "history",
    params(
        SessionFilterParams,
        ("search" = Option<String>, Query, description = "Text in alert, errors or analysis; at least 3 characters"),
    ),
    responses(
        (status = 200, description = "Facet counts", body = FacetList),
        (status = 404, description = "History is disabled"),
    )
)]
pub(crate) async fn facets(
    State(app): State<AppState>,
    Query(pairs): Pairs,
) -> Result<Json<FacetList>, Problem> {
    let query = ListQuery::read(&pairs)?;
    // The applied filters are the key of the cache.
    let request = serde_json::to_string(&query.applied).unwrap_or_default();
    if let Some(list) = app.facets.fresh(&request) {
        return Ok(Json(list));
    }
    let mut conn = app.history().await?;
    let holding = match &query.search {
        Some(text) => Some(tarsy_store::history::holding(&mut conn, text).await?),
        None => None,
    };
    let mut list = FacetList::default();
    for facet in Facet::ALL {
        let counts =
            tarsy_store::history::facet_counts(&mut conn, facet, &query.filter, holding.as_ref())
                .await?;
        *list.values_mut(facet) = FacetValues {
            values: counts.values.into_iter().collect(),
            is_exact: counts.is_exact,
        };
    }
    // Senders choose these values. Values that contain a secret are left out.
    let masker = &app.catalog.alert_masker;
    let counted =
        tarsy_store::history::trait_counts(&mut conn, &query.filter, holding.as_ref()).await?;
    for (field, counts) in counted {
        if let Some(values) = list.trait_mut(field) {
            let shown = counts.values.into_iter();
            let shown = shown.filter(|(value, _)| masker.text(value) == *value);
            *values = FacetValues {
                values: shown.collect(),
                is_exact: counts.is_exact,
            };
        }
    }
    app.facets.keep(request, &list);
    Ok(Json(list))
}
