//! Spending limits for model calls.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::Role;

use crate::approvals::Approver;
use crate::fields::{Field, Fields, Length, Number, Word, choice, section};
use crate::stage::wait_length;

section! {
    /// Spending limit for models.
    struct SpendingFields("Spending") {
        /// US dollars per day (UTC).
        cost_per_day: Dollars,
        /// What happens to a stage that is due after the limit is reached: it fails with class `budget`, or it waits until
        /// a person approves or denies that its session continues. Default: fail.
        beyond: Word<WaitsBeyond>,
        /// With `beyond: wait`, the minimum role that may decide. Default: operator.
        role: Word<Approver>,
        /// With `beyond: wait`, how long the stage waits for a decision before it fails. Default: 1h.
        expires: Length,
    }
}

/// Daily limits (UTC), in US dollars, of chains and of the fleet. They are read from the current configuration, also
/// for sessions that were accepted earlier, so a raised limit takes effect at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpendingLimits {
    /// Limit of all chains together; `None`: unlimited.
    pub fleet: Option<SpendingLimit>,
    /// Limits by chain. A chain that is not listed is unlimited.
    pub chains: BTreeMap<String, SpendingLimit>,
}

/// A daily limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpendingLimit {
    /// US dollars.
    pub cost_per_day: f64,
    /// What happens to a stage that would begin after the limit is reached.
    pub beyond: Beyond,
}

/// What happens to a stage beyond a spending limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// The stage fails.
    Fail,
    /// It waits for a person's approval.
    Wait {
        /// Role that may decide.
        role: Role,
        /// Time in ms after which it fails without a decision.
        expires_ms: u64,
    },
}

/// A limit that is reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Overspent {
    /// Which limit is reached, as a sentence for people.
    pub reason: String,
    /// What happens to the stage.
    pub beyond: Beyond,
}

/// Upper bound that catches typos. It is above any realistic daily spending.
pub(crate) type Dollars = Number<0, 10_000_000>;

/// Whether a stage beyond the limit waits for a person.
pub(crate) struct WaitsBeyond;
choice!(WaitsBeyond: bool = [("fail", false), ("wait", true)]);

/// How long a stage waits if `expires` is not set.
const DEFAULT_EXPIRES_MS: u64 = 3_600_000;

/// Reads the section `spending` of a chain or of the file.
pub(crate) fn read(fields: &Fields<'_>, field: Field<SpendingFields>) -> Option<SpendingLimit> {
    let keys = SpendingFields::FIELDS;
    let section = fields.get(field)?;
    let dollars = section.get(keys.cost_per_day);
    let waits = section.get(keys.beyond).unwrap_or(false);
    let role = section.get(keys.role).unwrap_or(Role::Operator);
    let expires_ms = wait_length(&section, keys.expires, "1h").unwrap_or(DEFAULT_EXPIRES_MS);
    for field in [keys.role.name(), keys.expires.name()] {
        if !waits && section.has(field) {
            section.problem(
                field,
                format!("`{field}` is of stages that wait"),
                "add `beyond: wait`",
            );
        }
    }
    if waits && !section.has(keys.cost_per_day) {
        section.problem_here(
            "no `cost_per_day`".to_owned(),
            "say how many US dollars a day, e.g. `cost_per_day: 20`",
        );
    }
    Some(SpendingLimit {
        cost_per_day: dollars?,
        beyond: match waits {
            true => Beyond::Wait { role, expires_ms },
            false => Beyond::Fail,
        },
    })
}

impl SpendingLimits {
    /// Whether there is no limit at all.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.fleet.is_none() && self.chains.is_empty()
    }

    /// Whether no limit applies to a chain.
    #[must_use]
    pub fn is_unlimited(&self, chain_id: &str) -> bool {
        self.fleet.is_none() && !self.chains.contains_key(chain_id)
    }

    /// Returns the limits that a stage of a chain has reached after `of_chain` and `of_fleet` US dollars were spent
    /// today.
    #[must_use]
    pub fn reached(&self, chain_id: &str, of_chain: f64, of_fleet: f64) -> Vec<Overspent> {
        let chain = self.chains.get(chain_id);
        let of = [
            (chain, of_chain, format!("chain `{chain_id}`")),
            (self.fleet.as_ref(), of_fleet, "the fleet".to_owned()),
        ];
        of.into_iter()
            .filter_map(|(limit, spent, who)| {
                let SpendingLimit { cost_per_day, beyond } = limit?;
                (spent >= *cost_per_day).then(|| Overspent {
                    reason: format!(
                        "{who} spent ${spent:.2} of its ${cost_per_day:.2} for today; the day ends at 00:00 UTC"
                    ),
                    beyond: *beyond,
                })
            })
            .collect()
    }
}

/// Returns the strictest of the reached limits: one under which stages fail, or else the one that requires the higher
/// role.
#[must_use]
pub fn strictest(reached: Vec<Overspent>) -> Option<Overspent> {
    reached.into_iter().max_by_key(|limit| match limit.beyond {
        Beyond::Fail => 2,
        Beyond::Wait { role, .. } => i32::from(role == Role::Admin),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(cost_per_day: f64, beyond: Beyond) -> SpendingLimit {
        SpendingLimit {
            cost_per_day,
            beyond,
        }
    }

    const fn waits(role: Role) -> Beyond {
        Beyond::Wait {
            role,
            expires_ms: 1,
        }
    }

    #[test]
    fn a_day_s_money_is_spent_when_it_is_reached() {
        let limits = SpendingLimits {
            fleet: Some(limit(10.0, Beyond::Fail)),
            chains: [("kubernetes".to_owned(), limit(2.0, Beyond::Fail))].into(),
        };
        assert_eq!(limits.reached("kubernetes", 1.99, 9.0), []);
        let reached = limits.reached("kubernetes", 2.0, 2.0);
        assert!(
            reached[0]
                .reason
                .starts_with("chain `kubernetes` spent $2.00 of its $2.00"),
            "{reached:?}"
        );
        assert_eq!(limits.reached("other", 5.0, 9.99), []);
        let reached = limits.reached("other", 5.0, 10.0);
        assert!(reached[0].reason.starts_with("the fleet"), "{reached:?}");
        assert!(!limits.is_unlimited("other"));
        assert!(SpendingLimits::default().is_unlimited("other"));
    }

    #[test]
    fn of_two_reached_limits_the_stricter_decides() {
        let decides = |chain: Beyond, fleet: Beyond| {
            let limits = SpendingLimits {
                fleet: Some(limit(1.0, fleet)),
                chains: [("a".to_owned(), limit(1.0, chain))].into(),
            };
            strictest(limits.reached("a", 1.0, 1.0)).map(|limit| limit.beyond)
        };
        let (operator, admin) = (waits(Role::Operator), waits(Role::Admin));
        assert_eq!(decides(operator, Beyond::Fail), Some(Beyond::Fail));
        assert_eq!(decides(Beyond::Fail, admin), Some(Beyond::Fail));
        assert_eq!(decides(operator, admin), Some(admin));
        assert_eq!(decides(admin, operator), Some(admin));
        assert_eq!(strictest(Vec::new()), None);
    }
}
