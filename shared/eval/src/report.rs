//! The report of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::judge::Judgement;
use crate::lint::CONSTANT_ANSWERS;
use crate::score::{Score, score};
use crate::session::Session;
use crate::statistics::bootstrap;

/// Share of cases that may be unscored.
const MOST_UNSCORED: f64 = 0.05;

/// Scores of all cases of a run. It holds no times: the same sessions give the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was run.
    pub settings: Settings,
    /// Scores, by case.
    pub scores: Vec<Score>,
    /// Cases that a constant answer has right: the best of a few such answers.
    pub constant_right: usize,
    /// What a judge said, if one was asked. No figure above takes it into account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
}

/// What was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Provider, by its name in the configuration.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Strategy of the agent.
    pub strategy: String,
    /// Whether the rules for Kubernetes looked first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diagnose: bool,
    /// The first twelve digits of the configuration file's SHA-256, or `built-in`; `None`: a report of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Seed of the intervals.
    pub seed: u64,
}

impl std::fmt::Display for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            provider,
            model,
            strategy,
            ..
        } = self;
        write!(
            f,
            "provider `{provider}`, model `{model}`, strategy `{strategy}`"
        )?;
        if self.diagnose {
            f.write_str(", after a diagnosis")?;
        }
        match &self.configuration {
            Some(hash) => write!(f, ", configuration `{hash}`"),
            None => Ok(()),
        }
    }
}

impl Report {
    /// Scores the sessions of these cases.
    #[must_use]
    pub fn new(settings: Settings, sessions: &[(Case, Session)]) -> Self {
        let mut scores: Vec<Score> = sessions
            .iter()
            .map(|(case, session)| score(case, session))
            .collect();
        scores.sort_by(|a, b| a.case.cmp(&b.case));
        let right = |answer: &&str| {
            let session = Session::constant(answer);
            sessions
                .iter()
                .filter(|(case, _)| score(case, &session).is_right())
                .count()
        };
        Self {
            settings,
            scores,
            constant_right: CONSTANT_ANSWERS.iter().map(right).max().unwrap_or(0),
            judgement: None,
        }
    }

    /// The report with what a judge said, in lines and a column of its own.
    #[must_use]
    pub fn with_judgement(self, judgement: Judgement) -> Self {
        Self {
            judgement: Some(judgement),
            ..self
        }
    }

    pub(crate) fn scored(&self) -> impl Iterator<Item = &Score> {
        self.scores.iter().filter(|score| score.is_scored())
    }

    /// Why the run measures nothing; `None`: it does.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let (all, scored) = (self.scores.len(), self.scored().count());
        if all == 0 {
            return Some("no case was run".to_owned());
        }
        let unscored = all - scored;
        (unscored as f64 > all as f64 * MOST_UNSCORED).then(|| {
            format!("{unscored} of {all} cases are unscored: their records answered fewer than 8 of 10 calls")
        })
    }

    /// Facts that are said, of those that count.
    #[must_use]
    pub fn facts(&self) -> (usize, usize) {
        let facts = || self.scored().flat_map(Score::counted);
        (facts().filter(|fact| fact.said).count(), facts().count())
    }

    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let settings = &self.settings;
        let mut text = format!(
            "# Evaluation\n\nWith {settings}: {} cases, {} of them scored.\n\n",
            self.scores.len(),
            self.scored().count(),
        );
        text.push_str(&self.totals());
        text.push_str(&self.by_tag());
        let judged = self.judgement.as_ref().map(Judgement::by_case);
        let (title, line) = match judged {
            Some(_) => (" judge |", "---|"),
            None => ("", ""),
        };
        let _ = writeln!(
            text,
            "\n## Cases\n\n| case | status | verdict | right | facts | calls | missing | path | first shown | readable | tokens |{title}\n|---|---|---|---|---|---|---|---|---|---|---|{line}"
        );
        for score in &self.scores {
            let right = match (score.is_scored(), score.is_right()) {
                (false, _) => "unscored",
                (true, true) => "yes",
                (true, false) if score.is_false_alarm() => "no: false alarm",
                (true, false) => "no",
            };
            let by_judge = judged.as_ref().map_or(String::new(), |judged| {
                let (said, asked) = judged.get(score.case.as_str()).copied().unwrap_or_default();
                format!(" {said}/{asked} |")
            });
            let _ = writeln!(
                text,
                "| {} | {} | {} | {right} | {}/{} | {} | {} | {}/{} | {} | {}/{} | {} |{by_judge}",
                score.case,
                score.status,
                score.verdict.as_deref().unwrap_or("-"),
                score.counted().filter(|fact| fact.said).count(),
                score.counted().count(),
                score.calls,
                score.missing,
                score.path_called,
                score.path,
                score.first_shown.map_or("-".to_owned(), |n| n.to_string()),
                score.readable_replies,
                score.replies,
                score.tokens,
            );
        }
        text
    }

    fn totals(&self) -> String {
        let scored: Vec<&Score> = self.scored().collect();
        let count = |is: &dyn Fn(&Score) -> bool| scored.iter().filter(|score| is(score)).count();
        let sum =
            |of: &dyn Fn(&Score) -> usize| scored.iter().map(|score| of(score)).sum::<usize>();
        let rights: Vec<f64> = scored
            .iter()
            .map(|score| f64::from(u8::from(score.is_right())))
            .collect();
        let interval = bootstrap(&rights, self.settings.seed).map_or(String::new(), |found| {
            format!(" (95 %: {:.2} to {:.2})", found.low, found.high)
        });
        let (said, counted) = self.facts();
        let guessed = sum(&|score| {
            score
                .counted()
                .filter(|fact| fact.said && !fact.shown)
                .count()
        });
        let healthy = count(&|score| score.healthy);
        let lines = [
            (
                "cases right",
                format!("{} of {}{interval}", count(&Score::is_right), scored.len()),
            ),
            (
                "the best constant answer",
                format!("{} of {}", self.constant_right, self.scores.len()),
            ),
            (
                "facts said that the alert does not say",
                format!("{said} of {counted}"),
            ),
            (
                "of these, guessed: no result shows them",
                guessed.to_string(),
            ),
            (
                "false alarms on healthy cases",
                format!("{} of {healthy}", count(&Score::is_false_alarm)),
            ),
            (
                "sessions without a tool call",
                count(&|score| score.calls == 0).to_string(),
            ),
            ("tool calls", sum(&|score| score.calls).to_string()),
            (
                "calls refused, repeated, without a record",
                format!(
                    "{}, {}, {}",
                    sum(&|score| score.refused),
                    sum(&|score| score.repeated),
                    sum(&|score| score.missing),
                ),
            ),
            (
                "tools of the experts' paths that were called",
                format!("{} of {}", sum(&|s| s.path_called), sum(&|s| s.path)),
            ),
            (
                "readable replies",
                format!(
                    "{} of {}",
                    sum(&|s| s.readable_replies),
                    sum(&|s| s.replies)
                ),
            ),
            (
                "tokens",
                scored
                    .iter()
                    .map(|score| score.tokens)
                    .sum::<u64>()
                    .to_string(),
            ),
        ];
        let mut text = "| | |\n|---|---|\n".to_owned();
        for (name, value) in lines {
            let _ = writeln!(text, "| {name} | {value} |");
        }
        if let Some(judgement) = &self.judgement {
            let (same, all) = judgement.agreement();
            let kappa = judgement.kappa();
            let _ = writeln!(
                text,
                "| judge `{}` agrees with the program | {same} of {all}{} |",
                judgement.model,
                kappa.map_or(String::new(), |kappa| format!(" (kappa {kappa:.2})")),
            );
        }
        let cost: f64 = scored.iter().map(|score| score.cost_usd).sum();
        if cost > 0.0 {
            let _ = writeln!(text, "| estimated cost | ${cost:.4} |");
        }
        let mut verdicts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for score in &scored {
            let entry = verdicts
                .entry(score.verdict.as_deref().unwrap_or("none"))
                .or_default();
            entry.0 += 1;
            entry.1 += usize::from(score.is_right());
        }
        text.push_str("\n| verdict | sessions | of these right |\n|---|---|---|\n");
        for (verdict, (sessions, right)) in verdicts {
            let _ = writeln!(text, "| {verdict} | {sessions} | {right} |");
        }
        text
    }

    fn by_tag(&self) -> String {
        let mut tags: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for score in self.scored() {
            for tag in &score.tags {
                let entry = tags.entry(tag).or_default();
                entry.0 += 1;
                entry.1 += usize::from(score.is_right());
            }
        }
        if tags.is_empty() {
            return String::new();
        }
        let mut text = "\n| tag | cases | right |\n|---|---|---|\n".to_owned();
        for (tag, (cases, right)) in tags {
            let _ = writeln!(text, "| {tag} | {cases} | {right} |");
        }
        text
    }
}
