//! Counts sessions per value of a filter.

use sqlx::{PgConnection, Postgres, QueryBuilder};
use tarsy_model::{SessionField, SessionStatus};

use super::counts::figure;
use super::filter::PROGRESS;
use super::traits::of_row;
use super::{Holding, Part, SessionFilter};
use crate::Error;

/// Number of newest sessions that are counted, for each kind of session (live, ended).
const NEWEST: i64 = 10_000;
/// The same number if the filter has traits.
const NEWEST_WITH_TRAITS: i64 = 1_000;

/// Planner cost up to which all sessions are counted, about 20 ms.
const EXPENSIVE: f64 = 10_000.0;

/// A column with facet counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// The session's status.
    Status,
    /// Progress of a session that has not ended.
    Progress,
    /// Outcome of the session.
    Outcome,
    /// Verdict of the check of its answer.
    Verdict,
    /// Label of its chain that the session got.
    Label,
    /// Severity, as sent with the alert.
    Severity,
    /// Alert type.
    AlertType,
    /// Chain of the session.
    Chain,
    /// Assignee of the session.
    Assignee,
    /// Rating of its answer.
    Rating,
}

/// The values of one facet, the most frequent first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts {
    /// Value and number of sessions.
    pub values: Vec<(String, i64)>,
    /// Whether all matching sessions were counted. If that was too expensive, only the newest 10,000 were counted
    /// (1,000 for traits). With a text filter, the sessions may also be only those known to contain the text.
    pub is_exact: bool,
}

impl Facet {
    /// All facets.
    pub const ALL: [Self; 10] = [
        Self::Status,
        Self::Progress,
        Self::Outcome,
        Self::Verdict,
        Self::Label,
        Self::Severity,
        Self::AlertType,
        Self::Chain,
        Self::Assignee,
        Self::Rating,
    ];

    const fn column(self) -> &'static str {
        match self {
            Self::Status => "s.status::text",
            Self::Progress => PROGRESS,
            Self::Outcome => "s.outcome::text",
            Self::Verdict => "s.verdict",
            Self::Label => "s.label",
            Self::Severity => "s.severity",
            Self::AlertType => "s.alert_type",
            Self::Chain => "s.chain_id",
            Self::Assignee => "c.assignee",
            Self::Rating => "c.rating::text",
        }
    }

    /// Returns the tables to join to `alert_sessions s`, and a condition that omits sessions without a value. An index
    /// covers those with a value.
    const fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::Label => ("", " and s.label is not null"),
            Self::Assignee => (
                " join session_care c using (session_id)",
                " and c.assignee is not null",
            ),
            Self::Rating => (
                " join session_care c using (session_id)",
                " and c.rating is not null",
            ),
            _ => ("", ""),
        }
    }

    /// Returns the filter without its conditions on this facet.
    fn left_open(self, filter: &SessionFilter) -> SessionFilter {
        let mut open = filter.clone();
        match self {
            // Users choose status and progress together: a session is running, or has ended with some status.
            Self::Status => {
                open.statuses.clear();
                open.equal.remove(&SessionField::Progress);
            }
            Self::Progress => {
                open.equal.remove(&SessionField::Progress);
                // Ended sessions have no progress, and they are many.
                open.statuses = vec![SessionStatus::Pending, SessionStatus::InProgress];
            }
            Self::Outcome => open.outcomes.clear(),
            Self::Verdict => drop(open.equal.remove(&SessionField::Verdict)),
            Self::Label => drop(open.equal.remove(&SessionField::Label)),
            Self::Severity => {
                open.equal.remove(&SessionField::Severity);
                open.severities = None;
            }
            Self::AlertType => drop(open.equal.remove(&SessionField::AlertType)),
            Self::Chain => drop(open.equal.remove(&SessionField::ChainId)),
            Self::Assignee => drop(open.equal.remove(&SessionField::Assignee)),
            Self::Rating => drop(open.equal.remove(&SessionField::Rating)),
        }
        open
    }
}

/// Traits that have facet counts.
const TRAITS: [SessionField; 5] = [
    SessionField::Agent,
    SessionField::Source,
    SessionField::Environment,
    SessionField::Cluster,
    SessionField::Namespace,
];

/// Counts the newest sessions that match `filter` and contain a text, by the values of their traits. Ignores a field's
/// own filter.
pub async fn trait_counts(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    holding: Option<&Holding>,
) -> Result<Vec<(SessionField, FacetCounts)>, Error> {
    let (chosen, open): (Vec<_>, Vec<_>) = TRAITS
        .into_iter()
        .partition(|field| filter.equal.contains_key(field));
    let mut counted = counted_traits(conn, filter, &open, holding).await?;
    for field in chosen {
        let mut without = filter.clone();
        without.equal.remove(&field);
        counted.extend(counted_traits(conn, &without, &[field], holding).await?);
    }
    Ok(counted)
}

/// Counts several fields in one statement, so that each session is read once.
async fn counted_traits(
    conn: &mut PgConnection,
    filter: &SessionFilter,
    fields: &[SessionField],
    holding: Option<&Holding>,
) -> Result<Vec<(SessionField, FacetCounts)>, Error> {
    let parts = filter.parts(conn).await?;
    let mut rows: Vec<(String, i64)> = Vec::new();
    if !parts.is_empty() && !fields.is_empty() {
        let mut query = QueryBuilder::<Postgres>::new("with newest as materialized (");
        for (number, part) in parts.iter().enumerate() {
            query
                .push(if number > 0 { " union all " } else { "" })
                .push("(select s.source, s.alert_data, s.chain_definition from alert_sessions s where ")
                .push(&part.condition);
            push_holding(&mut query, holding);
            filter.push(&mut query, part.traits);
            query
                .push(" order by s.started_at_us desc limit ")
                .push_bind(NEWEST_WITH_TRAITS)
                .push(")");
        }
        query.push(
            ") select '', count(*) from newest
             union all (select t.trait, count(*) from newest n
                        cross join lateral unnest(traits_of(n.source, n.alert_data, n.chain_definition)) t (trait)
                        group by 1 order by 2 desc, 1 limit 2000)",
        );
        rows = query
            .build_query_as()
            .persistent(false)
            .fetch_all(conn)
            .await?;
    }
    let seen = rows.first().map_or(0, |(_, number)| *number);
    let is_exact = seen < NEWEST_WITH_TRAITS && holding.is_none_or(Holding::is_all);
    let counts = fields.iter().map(|field| {
        let prefix = of_row(*field, "");
        let values = rows
            .iter()
            .filter_map(|(name, number)| Some((name.strip_prefix(&prefix)?.to_owned(), *number)));
        let values = values.collect();
        (*field, FacetCounts { values, is_exact })
    });
    Ok(counts.collect())
}

/// Restricts the query to sessions that contain the text.
fn push_holding(query: &mut QueryBuilder<Postgres>, holding: Option<&Holding>) {
    if let Some(holding) = holding {
        query
            .push(" and s.session_id = any(")
            .push_bind(holding.session_ids().to_vec())
            .push(")");
    }
}

/// Counts the sessions that match `filter` and contain a text, by the values of one facet. Ignores the facet's own
/// filter.
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
    let newest = (cost > EXPENSIVE).then_some(newest);
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

/// Writes the statement. With `newest`, it reads at most this many sessions of each part.
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
            .push(" as value from alert_sessions s")
            .push(facet.source().0)
            .push(" where ")
            .push(&part.condition)
            .push(facet.source().1);
        push_holding(query, holding);
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
