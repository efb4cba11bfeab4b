//! Facet counts: sessions per value of a filter.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::SessionField;

use super::counts::figure;
use super::{Holding, Part, SessionFilter};
use crate::Error;

/// Newest sessions that are counted, for each kind of session (live, ended).
const NEWEST: i64 = 10_000;
/// The same where traits are asked for.
const NEWEST_WITH_TRAITS: i64 = 1_000;

/// Planner's cost up to which all are counted, whatever their number: some 20 ms.
const DEAR: f64 = 10_000.0;

/// A column with facet counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// The session's status.
    Status,
    /// How many stages made it.
    Outcome,
    /// What the check of its answer found.
    Verdict,
    /// The label of its chain that it got.
    Label,
    /// As the alert wrote it.
    Severity,
    /// The alert's type.
    AlertType,
    /// The chain that answered it.
    Chain,
}

/// The values of one facet, the most frequent first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts {
    /// Value and number of sessions.
    pub values: Vec<(String, i64)>,
    /// Whether all that match were counted, as far as that is cheap; else the newest 10,000 were (1,000 of what alerts
    /// say of themselves), or those that are known to hold the text.
    pub is_exact: bool,
}

impl Facet {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::Status,
        Self::Outcome,
        Self::Verdict,
        Self::Label,
        Self::Severity,
        Self::AlertType,
        Self::Chain,
    ];

    const fn column(self) -> &'static str {
        match self {
            Self::Status => "s.status::text",
            Self::Outcome => "s.outcome::text",
            Self::Verdict => "s.verdict",
            Self::Label => "s.label",
            Self::Severity => "s.severity",
            Self::AlertType => "s.alert_type",
            Self::Chain => "s.chain_id",
        }
    }

    /// The filter as it would be if nothing had been chosen here.
    fn left_open(self, filter: &SessionFilter) -> SessionFilter {
        let mut open = filter.clone();
        match self {
            Self::Status => open.statuses.clear(),
            Self::Outcome => open.outcomes.clear(),
            Self::Verdict => drop(open.equal.remove(&SessionField::Verdict)),
            Self::Label => drop(open.equal.remove(&SessionField::Label)),
            Self::Severity => {
                open.equal.remove(&SessionField::Severity);
                open.severities = None;
            }
            Self::AlertType => drop(open.equal.remove(&SessionField::AlertType)),
            Self::Chain => drop(open.equal.remove(&SessionField::ChainId)),
        }
        open
    }
}

/// Counts the sessions that match `filter` and contain a text, by the values of one facet; the
/// facet's own filter is ignored.
///
/// # Errors
///
/// [`Error::Database`].
pub async fn facet_counts(
    conn: &mut PgConnection,
    facet: Facet,
    filter: &SessionFilter,
    holding: Option<&Holding>,
) -> Result<FacetCounts, Error> {
    let filter = facet.left_open(filter);
    let parts = filter.parts(conn).await?;
    if parts.is_empty() {
        return Ok(FacetCounts {
            values: Vec::new(),
            is_exact: true,
        });
    }
    let newest = match filter.asks_for_traits() {
        true => NEWEST_WITH_TRAITS,
        false => NEWEST,
    };
    let mut plan = QueryBuilder::<Postgres>::new("explain (format json) ");
    push_counts(&mut plan, facet, &filter, &parts, holding, None);
    let cost = figure(conn, plan, "/0/Plan/Total Cost").await?;
    let newest = (cost > DEAR).then_some(newest);
    let mut query = QueryBuilder::<Postgres>::new("");
    push_counts(&mut query, facet, &filter, &parts, holding, newest);
    let values: Vec<(String, i64)> = query
        .build_query_as()
        .persistent(false)
        .fetch_all(conn)
        .await?;
    let counted: i64 = values.iter().map(|(_, number)| number).sum();
    Ok(FacetCounts {
        values: values
            .into_iter()
            .filter(|(value, _)| !value.is_empty())
            .collect(),
        is_exact: newest.is_none_or(|newest| counted < newest)
            && holding.is_none_or(Holding::is_all),
    })
}

/// Writes the statement; `newest`: at most so many of each part.
fn push_counts(
    query: &mut QueryBuilder<Postgres>,
    facet: Facet,
    filter: &SessionFilter,
    parts: &[Part],
    holding: Option<&Holding>,
    newest: Option<i64>,
) {
    query.push("with counted as (");
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            query.push(" union all ");
        }
        query
            .push("(select ")
            .push(facet.column())
            .push(" as value from alert_sessions s where ")
            .push(&part.condition);
        // Most sessions have none: the index holds those that do.
        if facet == Facet::Label {
            query.push(" and s.label is not null");
        }
        if let Some(holding) = holding {
            query
                .push(" and s.session_id = any(")
                .push_bind(holding.session_ids().to_vec())
                .push(")");
        }
        filter.push(query, part.traits);
        if let Some(newest) = newest {
            query
                .push(" order by s.started_at_us desc limit ")
                .push_bind(newest);
        }
        query.push(")");
    }
    query.push(
        ") select coalesce(value, ''), count(*) from counted group by 1 order by 2 desc, 1 limit 500",
    );
}
