//! Summary figures of a report, which are kept for comparison.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use crate::compare::compare;
use crate::report::{Report, rows};
use crate::score::Score;
use crate::statistics::tally;

/// Figures of a report, in the form that the API stores.
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
    /// `{tag, cases, right}` of each tag.
    tags: Vec<Value>,
    /// `{model, same, answered}`.
    judge: Option<Value>,
    /// `{name, regressed, improved, p_of_cases}`.
    against: Option<Value>,
}

impl Summary {
    /// Summarises a report. `against` is an older report with its name, to compare with.
    #[must_use]
    pub fn new(report: &Report, against: Option<(&str, &Report)>) -> Self {
        let scored: Vec<&Score> = report.scored().collect();
        let count = |is: &dyn Fn(&Score) -> bool| scored.iter().filter(|score| is(score)).count();
        let facts = || scored.iter().flat_map(|score| score.counted());
        let bounds = report.share_right();
        let tags = report.by_tag().into_iter();
        let tags =
            tags.map(|(tag, tally)| json!({"tag": tag, "cases": tally.all, "right": tally.right}));
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
            tags: tags.collect(),
            judge: report.judgement.as_ref().map(|judgement| {
                let (same, answered) = judgement.agreement();
                json!({"model": judgement.model, "same": same, "answered": answered})
            }),
            against: against.map(|(name, old)| {
                let found = compare(old, report);
                json!({
                    "name": name, "regressed": found.regressed, "improved": found.improved,
                    "p_of_cases": found.p_of_cases(),
                })
            }),
        }
    }
}

impl Report {
    /// Formats the figures of the whole report as Markdown.
    pub(crate) fn totals(&self) -> String {
        let all = Summary::new(self, None);
        let scored: Vec<&Score> = self.scored().collect();
        let sum = |of: fn(&Score) -> usize| scored.iter().map(|score| of(score)).sum::<usize>();
        let interval = self.share_right().map_or(String::new(), |found| {
            format!(" (95 %: {:.2} to {:.2})", found.low, found.high)
        });
        let mut text = format!(
            "| | |\n|---|---|\n\
             | cases right | {} of {}{interval} |\n\
             | the best constant answer | {} of {} |\n\
             | facts said that the alert does not say | {} of {} |\n\
             | of these, guessed: no result shows them | {} |\n\
             | false alarms on healthy cases | {} of {} |\n\
             | sessions without a tool call | {} |\n\
             | tool calls | {} |\n\
             | calls refused, repeated, without a record | {}, {}, {} |\n\
             | tools of the experts' paths that were called | {} of {} |\n\
             | readable replies | {} of {} |\n\
             | tokens | {} |\n",
            all.right,
            all.scored,
            all.constant_right,
            all.cases,
            all.facts_said,
            all.facts,
            all.guessed,
            all.false_alarms,
            all.healthy,
            all.without_call,
            sum(|score| score.calls),
            sum(|score| score.refused),
            sum(|score| score.repeated),
            sum(|score| score.missing),
            sum(|score| score.path_called),
            sum(|score| score.path),
            sum(|score| score.readable_replies),
            sum(|score| score.replies),
            all.tokens,
        );
        if let Some(judgement) = &self.judgement {
            let (model, (same, asked)) = (&judgement.model, judgement.agreement());
            let kappa = judgement.kappa();
            let kappa = kappa.map_or(String::new(), |kappa| format!(" (kappa {kappa:.2})"));
            let _ = writeln!(
                text,
                "| judge `{model}` agrees with the program | {same} of {asked}{kappa} |"
            );
        }
        if all.cost_usd > 0.0 {
            let _ = writeln!(text, "| estimated cost | ${:.4} |", all.cost_usd);
        }
        let verdicts = scored.iter().map(|score| {
            let verdict = score.verdict.as_deref().unwrap_or("none");
            (verdict, score.is_right())
        });
        text.push_str("\n| verdict | sessions | of these right |\n|---|---|---|\n");
        text + &rows(tally(verdicts))
    }
}
