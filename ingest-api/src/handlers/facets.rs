//! How many sessions each filter would leave.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Query, State};
use serde::Serialize;
use tarsy_store::Facet;
use utoipa::ToSchema;

use crate::history::query::ListQuery;
use crate::problem::{Problem, ProblemBody};
use crate::state::AppState;

/// Numbers of sessions by the values of each filter.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetList {
    status: FacetValues,
    outcome: FacetValues,
    severity: FacetValues,
    alert_type: FacetValues,
    chain_id: FacetValues,
}

/// One filter's values.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct FacetValues {
    /// Sessions that each value would leave; a value without any is not named.
    #[schema(example = json!({"failed": 3}))]
    values: BTreeMap<String, i64>,
    /// Whether all that match were counted; else only the newest 10,000.
    is_exact: bool,
}

/// How many sessions each value of a filter would leave, the other filters as they are.
///
/// Takes the filters of the list.
#[utoipa::path(
    get, path = "/api/v1/history/facets", tag = "history",
    params(
        ("status" = Option<Vec<String>>, Query, description = "As in the list"),
        ("outcome" = Option<String>, Query, description = "As in the list"),
        ("severity" = Option<String>, Query, description = "As in the list"),
        ("alert_type" = Option<String>, Query, description = "As in the list"),
        ("chain_id" = Option<String>, Query, description = "As in the list"),
        ("start_date_us" = Option<i64>, Query, description = "As in the list", minimum = 0),
        ("end_date_us" = Option<i64>, Query, description = "As in the list", minimum = 0),
        ("search" = Option<String>, Query, description = "As in the list"),
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
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Json<FacetList>, Problem> {
    let query = ListQuery::read(&pairs)?;
    let mut conn = app.history().await?;
    let mut list = FacetList::default();
    for facet in Facet::ALL {
        let text = query.search.as_deref();
        let counts = tarsy_store::facet_counts(&mut conn, facet, &query.filter, text).await?;
        *list.of(facet) = FacetValues {
            values: counts.values.into_iter().collect(),
            is_exact: counts.is_exact,
        };
    }
    Ok(Json(list))
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
