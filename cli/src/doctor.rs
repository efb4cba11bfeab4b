//! Checks of a deployment, each with its result and how to fix a problem.

pub(crate) mod database;
pub(crate) mod models;
pub(crate) mod partitions;
pub(crate) mod queue;
pub(crate) mod replica;
pub(crate) mod sign_in;
pub(crate) mod surroundings;
pub(crate) mod upstreams;

use serde::Serialize;

use crate::output::{dim, harmless, styled};

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Ok,
    Warning,
    Failure,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// Subject, e.g. `database`.
    pub(crate) area: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fix: Option<String>,
}

impl Check {
    pub(crate) fn ok(area: &'static str, finding: impl Into<String>) -> Self {
        Self {
            area,
            verdict: Verdict::Ok,
            finding: finding.into(),
            fix: None,
        }
    }

    pub(crate) fn warning(
        area: &'static str,
        finding: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            area,
            verdict: Verdict::Warning,
            finding: finding.into(),
            fix: Some(fix.into()),
        }
    }

    pub(crate) fn failure(
        area: &'static str,
        finding: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            verdict: Verdict::Failure,
            ..Self::warning(area, finding, fix)
        }
    }

    pub(crate) fn print(&self) {
        let mark = match self.verdict {
            Verdict::Ok => styled("32", "ok  "),
            Verdict::Warning => styled("33", "warn"),
            Verdict::Failure => styled("31", "fail"),
        };
        println!("{mark}  {:<13}  {}", self.area, harmless(&self.finding));
        if let Some(fix) = &self.fix {
            println!("      {:<13}  {}", "", dim(&harmless(fix)));
        }
    }
}
