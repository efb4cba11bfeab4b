//! The report of a run, with the scores of all its cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::judge::Judgement;
use crate::lint::CONSTANT_ANSWERS;
use crate::score::{Score, score};
use crate::session::Session;
use crate::statistics::{Interval, Tally, bootstrap, tally};

/// Largest share of cases that may be unscored.
const MOST_UNSCORED: f64 = 0.05;

/// Scores of all cases of a run. It contains no times, so the same sessions give the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Settings of the run.
    pub settings: Settings,
    /// Scores, by case.
    pub scores: Vec<Score>,
    /// Number of cases that a constant answer gets right: the best of a few such answers.
    pub constant_right: usize,
    /// Replies of a judge, if one was asked. No figure above depends on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
}

/// Settings of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Provider, by its name in the configuration.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Strategy of the agent.
    pub strategy: String,
    /// Whether the rules for Kubernetes ran first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diagnose: bool,
    /// The first twelve hex digits of the configuration file's SHA-256, or `built-in`. `None`: the report is of an
    /// older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// Seed of the intervals.
    pub seed: u64,
}

impl std::fmt::Display for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (provider, model, strategy) = (&self.provider, &self.model, &self.strategy);
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
        let scores = sessions.iter().map(|(case, session)| score(case, session));
        let mut scores: Vec<Score> = scores.collect();
        scores.sort_by(|a, b| a.case.cmp(&b.case));
        let right = |answer: &&str| {
            let session = Session::constant(answer);
            let right = |(case, _): &&(Case, Session)| score(case, &session).is_right();
            sessions.iter().filter(right).count()
        };
        Self {
            settings,
            scores,
            constant_right: CONSTANT_ANSWERS.iter().map(right).max().unwrap_or(0),
            judgement: None,
        }
    }

    pub(crate) fn scored(&self) -> impl Iterator<Item = &Score> {
        self.scores.iter().filter(|score| score.is_scored())
    }

    /// Returns why the run measures nothing; `None` if it is valid.
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

    /// Returns how many facts the answers state, and how many count.
    #[must_use]
    pub fn facts(&self) -> (usize, usize) {
        let facts = || self.scored().flat_map(Score::counted);
        (facts().filter(|fact| fact.said).count(), facts().count())
    }

    /// Formats the report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let settings = &self.settings;
        let mut text = format!(
            "# Evaluation\n\nWith {settings}: {} cases, {} of them scored.\n\n",
            self.scores.len(),
            self.scored().count(),
        );
        text.push_str(&self.totals());
        let tags = self.by_tag();
        if !tags.is_empty() {
            text.push_str("\n| tag | cases | right |\n|---|---|---|\n");
            text.push_str(&rows(tags));
        }
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
            let by_judge = judged.as_ref().map(|judged| {
                let found = judged.get(&*score.case).copied().unwrap_or_default();
                format!(" {}/{} |", found.right, found.all)
            });
            let _ = writeln!(
                text,
                "| {} | {} | {} | {right} | {}/{} | {} | {} | {}/{} | {} | {}/{} | {} |{}",
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
                by_judge.unwrap_or_default(),
            );
        }
        text
    }

    /// Returns the share of scored cases that are right.
    pub(crate) fn share_right(&self) -> Option<Interval> {
        let rights = self.scored().map(Score::is_right);
        let rights: Vec<f64> = rights.map(|right| f64::from(u8::from(right))).collect();
        bootstrap(&rights, self.settings.seed)
    }

    /// Counts the scored cases by their tags.
    pub(crate) fn by_tag(&self) -> BTreeMap<&str, Tally> {
        tally(self.scored().flat_map(|score| {
            let tags = score.tags.iter();
            tags.map(|tag| (tag.as_str(), score.is_right()))
        }))
    }
}

pub(crate) fn rows(tallies: BTreeMap<&str, Tally>) -> String {
    let rows = tallies.into_iter();
    rows.map(|(name, tally)| format!("| {name} | {} | {} |\n", tally.all, tally.right))
        .collect()
}
