//! Quality of answers, from the verdicts, ratings and scores of sessions, by chain or model and over time.

pub(crate) mod evaluations;
pub(crate) mod handlers;

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_store::quality::QualityRow;
use utoipa::ToSchema;

use crate::usage::UsageRequest;

/// Maximum number of groups with a name. All others form one group without a name.
const MOST_GROUPS: usize = 30;

/// Sums of the scores of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Quality {
    /// Start of the first step.
    pub(crate) from_us: i64,
    /// End of the last hour.
    pub(crate) to_us: i64,
    #[schema(example = "chain")]
    pub(crate) by: &'static str,
    #[schema(example = "day")]
    pub(crate) step: &'static str,
    /// Whether the sums include every session that ended more than ten minutes ago; `false` for a while after an
    /// upgrade.
    pub(crate) is_scored: bool,
    /// Sums of all groups.
    pub(crate) total: Sums,
    /// Groups, those with the most sessions first.
    pub(crate) groups: Vec<Group>,
    /// Steps in order. Steps without a session are left out.
    pub(crate) steps: Vec<Step>,
}

/// Sums of a group's sessions. Questions and sub-agents are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = QualitySums)]
pub(crate) struct Sums {
    pub(crate) sessions: i64,
    /// Numbers of sessions by verdict, with their ratings.
    pub(crate) verdicts: BTreeMap<String, Rated>,
    /// Sessions in which tools were offered but not called.
    pub(crate) without_call: i64,
    /// Sessions whose answer contains names that no tool result contains.
    pub(crate) guessing: i64,
    /// Sessions with a tool server that had no successful call.
    pub(crate) with_gap: i64,
    /// Names, numbers and times in answers that were checked.
    pub(crate) checked: i64,
    /// Of these, those that tool results contain.
    pub(crate) found: i64,
    /// Tool calls that were sent.
    pub(crate) calls: i64,
    pub(crate) failed_calls: i64,
    /// Tool calls that repeated an earlier call with the same arguments.
    pub(crate) repeated_calls: i64,
    /// Tool calls that were not sent: unknown tool, arguments that do not match the schema, or not approved.
    pub(crate) refused_calls: i64,
    pub(crate) tokens: i64,
    /// Estimated US dollars of the model calls that have a price.
    pub(crate) cost_usd: f64,
}

/// Sessions with a verdict, by people's rating of their answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QualityRated)]
pub(crate) struct Rated {
    pub(crate) sessions: i64,
    pub(crate) right: i64,
    pub(crate) partly_right: i64,
    pub(crate) wrong: i64,
}

/// A group and its sums.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QualityGroup)]
pub(crate) struct Group {
    /// Name of the group; null for all groups beyond the largest.
    pub(crate) name: Option<String>,
    #[serde(flatten)]
    pub(crate) sums: Sums,
}

/// Sessions that ended within a step.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QualityStep)]
pub(crate) struct Step {
    /// Start of the step.
    pub(crate) at_us: i64,
    /// Numbers of sessions by verdict.
    pub(crate) verdicts: BTreeMap<String, i64>,
}

impl Quality {
    pub(crate) fn new(
        request: &UsageRequest,
        by: &'static str,
        rows: &[QualityRow],
        is_scored: bool,
    ) -> Self {
        let mut total = Sums::default();
        let mut groups: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut steps: BTreeMap<i64, BTreeMap<String, i64>> = BTreeMap::new();
        for row in rows {
            if let Some(at_us) = row.at_us {
                let step = steps.entry(at_us).or_default();
                step.insert(row.verdict.clone(), row.sessions);
                continue;
            }
            total.add(row);
            let name = row.name.as_deref().unwrap_or_default();
            groups.entry(name).or_default().add(row);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, sums)| -sums.sessions);
        let rest: Vec<&str> = groups
            .iter()
            .skip(MOST_GROUPS)
            .map(|(name, _)| *name)
            .collect();
        let mut others = Sums::default();
        for row in rows.iter().filter(|row| row.at_us.is_none()) {
            if rest.contains(&row.name.as_deref().unwrap_or_default()) {
                others.add(row);
            }
        }
        groups.truncate(MOST_GROUPS);
        let named = groups.into_iter().map(|(name, sums)| Group {
            name: Some(name.to_owned()),
            sums,
        });
        let others = (others.sessions > 0).then_some(Group {
            name: None,
            sums: others,
        });
        Self {
            from_us: request.span.from_us,
            to_us: request.span.until_us,
            by,
            step: request.step,
            is_scored,
            total,
            groups: named.chain(others).collect(),
            steps: steps
                .into_iter()
                .map(|(at_us, verdicts)| Step { at_us, verdicts })
                .collect(),
        }
    }
}

impl Sums {
    fn add(&mut self, row: &QualityRow) {
        self.sessions += row.sessions;
        let rated = self.verdicts.entry(row.verdict.clone()).or_default();
        rated.sessions += row.sessions;
        rated.right += row.right;
        rated.partly_right += row.partly_right;
        rated.wrong += row.wrong;
        self.without_call += row.without_call;
        self.guessing += row.guessing;
        self.with_gap += row.with_gap;
        self.checked += row.checked;
        self.found += row.found;
        self.calls += row.calls;
        self.failed_calls += row.failed_calls;
        self.repeated_calls += row.repeated_calls;
        self.refused_calls += row.refused_calls;
        self.tokens += row.tokens;
        self.cost_usd += row.cost_usd;
    }
}
