//! The usage report: sums of calls, tokens and cost.

mod csv;
pub(crate) mod handlers;
mod request;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tarsy_store::usage::{UnpricedModel, UsageRow};
use utoipa::ToSchema;

pub(crate) use csv::csv;
pub(crate) use request::UsageRequest;

/// Maximum number of groups with a name. All others form one group without a name.
pub(crate) const MOST_GROUPS: i64 = 30;

/// Sums of model calls or tool calls.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// Start of the first step.
    pub(crate) from_us: i64,
    /// End of the last hour.
    pub(crate) to_us: i64,
    #[schema(example = "model")]
    pub(crate) by: &'static str,
    #[schema(example = "day")]
    pub(crate) step: &'static str,
    /// Whether the sums include every session that ended more than ten minutes ago; `false` for a while after an
    /// upgrade.
    pub(crate) is_summed_up: bool,
    /// Sums of all groups.
    pub(crate) total: Sums,
    /// Groups, the most expensive first.
    pub(crate) groups: Vec<Group>,
    /// Sums by step and group. Steps and groups without a call are left out.
    pub(crate) steps: Vec<Step>,
    /// Models whose calls are not included in the cost, those with the most tokens first.
    pub(crate) not_priced: Vec<NotPriced>,
}

/// Sums of calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = UsageSums)]
pub(crate) struct Sums {
    pub(crate) calls: i64,
    pub(crate) failed: i64,
    /// Prompt tokens.
    pub(crate) input_tokens: i64,
    /// Of these, tokens that were read from the provider's cache.
    pub(crate) cached_tokens: i64,
    /// Completion tokens.
    pub(crate) output_tokens: i64,
    /// Estimated US dollars of the calls that have a price.
    pub(crate) cost_usd: f64,
    /// Whether every token has a price. Otherwise the cost is a lower bound.
    pub(crate) is_cost_complete: bool,
    /// Tokens of calls without a price.
    pub(crate) unpriced_tokens: i64,
    /// Calls whose tokens the provider did not count.
    pub(crate) uncounted_calls: i64,
    pub(crate) mean_duration_ms: Option<i64>,
    pub(crate) max_duration_ms: Option<i64>,
    /// Sources of the prices: `own`, `catalogue <date>`, `none`, `uncounted`.
    pub(crate) prices: Vec<String>,
}

/// A group and its sums.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageGroup)]
pub(crate) struct Group {
    /// Name of the group; null for all groups beyond the largest.
    pub(crate) name: Option<String>,
    #[serde(flatten)]
    pub(crate) sums: Sums,
}

/// Sums of a group in one step.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsageStep)]
pub(crate) struct Step {
    /// Start of the step.
    pub(crate) at_us: i64,
    /// Name of the group; null for all groups beyond the largest.
    pub(crate) name: Option<String>,
    #[serde(flatten)]
    pub(crate) sums: Sums,
}

/// A model whose calls have no price.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UnpricedModel)]
pub(crate) struct NotPriced {
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) calls: i64,
    pub(crate) input_tokens: i64,
    pub(crate) output_tokens: i64,
    /// Number of calls without a token count.
    pub(crate) uncounted_calls: i64,
}

impl Usage {
    pub(crate) fn new(
        request: &UsageRequest,
        rows: &[UsageRow],
        not_priced: Vec<UnpricedModel>,
        is_summed_up: bool,
    ) -> Self {
        let mut groups: BTreeMap<Option<&str>, Vec<&UsageRow>> = BTreeMap::new();
        for row in rows {
            groups.entry(row.name.as_deref()).or_default().push(row);
        }
        let mut groups: Vec<Group> = groups
            .into_iter()
            .map(|(name, rows)| Group {
                name: name.map(str::to_owned),
                sums: Sums::from_rows(rows),
            })
            .collect();
        groups.sort_by(|a, b| {
            let weight = |group: &Group| {
                let sums = &group.sums;
                (sums.input_tokens + sums.output_tokens, sums.calls)
            };
            a.name
                .is_none()
                .cmp(&b.name.is_none())
                .then(b.sums.cost_usd.total_cmp(&a.sums.cost_usd))
                .then(weight(b).cmp(&weight(a)))
        });
        Self {
            from_us: request.span.from_us,
            to_us: request.span.until_us,
            by: request.by.as_str(),
            step: request.step,
            is_summed_up,
            total: Sums::from_rows(rows),
            groups,
            steps: rows
                .iter()
                .map(|row| Step {
                    at_us: row.at_us,
                    name: row.name.clone(),
                    sums: Sums::from_rows([row]),
                })
                .collect(),
            not_priced: not_priced
                .into_iter()
                .map(|model| NotPriced {
                    provider: model.provider,
                    model: model.model,
                    calls: model.calls,
                    input_tokens: model.input_tokens,
                    output_tokens: model.output_tokens,
                    uncounted_calls: model.uncounted_calls,
                })
                .collect(),
        }
    }
}

impl Sums {
    fn from_rows<'r>(rows: impl IntoIterator<Item = &'r UsageRow>) -> Self {
        let mut sums = Self::default();
        let (mut timed, mut duration_ms, mut prices) = (0, 0, BTreeSet::new());
        for row in rows {
            sums.calls += row.calls;
            sums.failed += row.failed;
            sums.input_tokens += row.input_tokens;
            sums.cached_tokens += row.cached_tokens;
            sums.output_tokens += row.output_tokens;
            sums.cost_usd += row.cost_usd;
            sums.unpriced_tokens += row.unpriced_tokens;
            sums.uncounted_calls += row.uncounted_calls;
            timed += row.timed;
            duration_ms += row.duration_ms;
            if row.timed > 0 {
                sums.max_duration_ms = sums.max_duration_ms.max(Some(row.max_duration_ms));
            }
            prices.extend(row.prices.iter().cloned());
        }
        sums.mean_duration_ms = (timed > 0).then(|| duration_ms / timed);
        sums.is_cost_complete = !prices.contains("none") && !prices.contains("uncounted");
        sums.prices = prices.into_iter().collect();
        sums
    }
}
