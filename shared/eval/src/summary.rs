//! The figures of a report that are kept to be compared.

use serde::Serialize;

use crate::compare::compare;
use crate::report::Report;
use crate::score::Score;

/// Figures of a report, as the API keeps them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    provider: String,
    model: String,
    strategy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<String>,
    cases: usize,
    scored: usize,
    right: usize,
    right_low: Option<f64>,
    right_high: Option<f64>,
    constant_right: usize,
    facts: usize,
    facts_said: usize,
    guessed: usize,
    healthy: usize,
    false_alarms: usize,
    without_call: usize,
    tokens: u64,
    cost_usd: f64,
    tags: Vec<Tag>,
    judge: Option<Judge>,
    against: Option<Against>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Tag {
    tag: String,
    cases: usize,
    right: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Judge {
    model: String,
    same: usize,
    answered: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Against {
    name: String,
    regressed: Vec<String>,
    improved: Vec<String>,
    p_of_cases: f64,
}

impl Summary {
    /// Sums up a report; `against` is an older one with its name.
    #[must_use]
    pub fn new(report: &Report, against: Option<(&str, &Report)>) -> Self {
        let scored: Vec<&Score> = report.scored().collect();
        let count = |is: &dyn Fn(&Score) -> bool| scored.iter().filter(|score| is(score)).count();
        let facts = || scored.iter().flat_map(|score| score.counted());
        let bounds = report.share_right();
        Self {
            provider: report.settings.provider.clone(),
            model: report.settings.model.clone(),
            strategy: report.settings.strategy.clone(),
            configuration: report.settings.configuration.clone(),
            cases: report.scores.len(),
            scored: scored.len(),
            right: count(&Score::is_right),
            right_low: bounds.map(|bounds| bounds.low),
            right_high: bounds.map(|bounds| bounds.high),
            constant_right: report.constant_right,
            facts: facts().count(),
            facts_said: facts().filter(|fact| fact.said).count(),
            guessed: facts().filter(|fact| fact.is_guessed()).count(),
            healthy: count(&|score| score.healthy),
            false_alarms: count(&Score::is_false_alarm),
            without_call: count(&|score| score.calls == 0),
            tokens: scored.iter().map(|score| score.tokens).sum(),
            cost_usd: scored.iter().map(|score| score.cost_usd).sum(),
            tags: report
                .by_tag()
                .into_iter()
                .map(|(tag, tally)| Tag {
                    tag: tag.to_owned(),
                    cases: tally.all,
                    right: tally.right,
                })
                .collect(),
            judge: report.judgement.as_ref().map(|judgement| {
                let (same, answered) = judgement.agreement();
                Judge {
                    model: judgement.model.clone(),
                    same,
                    answered,
                }
            }),
            against: against.map(|(name, old)| {
                let found = compare(old, report);
                Against {
                    name: name.to_owned(),
                    p_of_cases: found.p_of_cases(),
                    regressed: found.regressed,
                    improved: found.improved,
                }
            }),
        }
    }
}
