//! What may be spent on models.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fields::Fields;

/// US dollars that chains and the fleet may spend in a day (UTC). Read from the present configuration, also for
/// sessions that were accepted before: a raised limit holds at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpendingLimits {
    /// All chains together; `None`: unlimited.
    pub fleet_per_day: Option<f64>,
    /// By chain; one that is not named is unlimited.
    pub chains_per_day: BTreeMap<String, f64>,
}

/// Above what anybody spends in a day; a typo's bound.
const MAX_DOLLARS: f64 = 10_000_000.0;

/// Read the section `spending` of a chain, or of the file.
pub(crate) fn read(fields: &Fields<'_>) -> Option<f64> {
    let section = fields.section("spending")?;
    let dollars = section.number("cost_per_day", 0.0..=MAX_DOLLARS);
    section.finish();
    dollars
}

impl SpendingLimits {
    /// Whether nothing is limited.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.fleet_per_day.is_none() && self.chains_per_day.is_empty()
    }

    /// Whether nothing is limited for a chain.
    #[must_use]
    pub fn is_unlimited(&self, chain_id: &str) -> bool {
        self.fleet_per_day.is_none() && !self.chains_per_day.contains_key(chain_id)
    }

    /// Why a stage of a chain is not to begin after `of_chain` and `of_fleet` US dollars were spent today.
    #[must_use]
    pub fn refusal(&self, chain_id: &str, of_chain: f64, of_fleet: f64) -> Option<String> {
        let over = |who: &str, spent: f64, limit: f64| {
            (spent >= limit).then(|| {
                format!(
                    "{who} spent ${spent:.2} of its ${limit:.2} for today; the day ends at 00:00 UTC"
                )
            })
        };
        let chain = self.chains_per_day.get(chain_id);
        chain
            .and_then(|limit| over(&format!("chain `{chain_id}`"), of_chain, *limit))
            .or_else(|| over("the fleet", of_fleet, self.fleet_per_day?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_s_money_is_spent_when_it_is_reached() {
        let limits = SpendingLimits {
            fleet_per_day: Some(10.0),
            chains_per_day: [("kubernetes".to_owned(), 2.0)].into(),
        };
        assert_eq!(limits.refusal("kubernetes", 1.99, 9.0), None);
        let refusal = limits.refusal("kubernetes", 2.0, 2.0).unwrap();
        assert!(
            refusal.starts_with("chain `kubernetes` spent $2.00 of its $2.00"),
            "{refusal}"
        );
        assert_eq!(limits.refusal("other", 5.0, 9.99), None);
        assert!(
            limits
                .refusal("other", 5.0, 10.0)
                .unwrap()
                .starts_with("the fleet")
        );
        assert!(!limits.is_unlimited("other"));
        assert!(SpendingLimits::default().is_unlimited("other"));
    }
}
