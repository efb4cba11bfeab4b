//! Diagnoses cases with the rules for Kubernetes, without a model.

use std::fmt::Write as _;

use serde::Serialize;
use tarsy_diagnose::{Finding, Source, report};

use crate::case::{Case, Origin};

/// The diagnosis of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosed {
    /// The case.
    pub case: String,
    /// Whether the case is healthy.
    pub healthy: bool,
    /// Expected first finding, if the case states one.
    pub origin: Option<Origin>,
    /// Findings, most likely first.
    pub findings: Vec<Finding>,
    /// The findings as text.
    pub report: String,
}

impl Diagnosed {
    /// Returns whether the first finding names the object to fix; `None` if the case does not state the object.
    #[must_use]
    pub fn has_object(&self) -> Option<bool> {
        let origin = self.origin.as_ref()?;
        let first = self.findings.first();
        Some(first.is_some_and(|first| origin.objects.contains(&first.object.name)))
    }

    /// Returns whether the first finding names the object to fix and the cause; `None` if the case does not state
    /// them.
    #[must_use]
    pub fn has_object_and_cause(&self) -> Option<bool> {
        let mut causes = self.origin.as_ref()?.causes.iter();
        let found = self.findings.first().map(|first| first.cause.as_str());
        Some(self.has_object()? && causes.any(|cause| found == Some(cause.as_str())))
    }
}

/// Diagnoses a case from all its records. An agent reads less, because it makes only some of the calls.
#[must_use]
pub fn diagnose(case: &Case) -> Diagnosed {
    let sources = case.records.iter().filter_map(|record| {
        Some(Source {
            tool: record.tool.clone(),
            arguments: record.args.clone().into(),
            text: record.result.clone()?,
        })
    });
    let findings = tarsy_diagnose::diagnose(sources.collect(), &case.alert);
    Diagnosed {
        case: case.id.clone(),
        healthy: case.truth.healthy,
        origin: case.truth.origin.clone(),
        report: report(&findings),
        findings,
    }
}

/// Formats totals and a line for each case, as Markdown.
#[must_use]
pub fn diagnosis_markdown(all: &[Diagnosed]) -> String {
    let with_origin = all.iter().filter(|one| one.origin.is_some()).count();
    let count = |is: &dyn Fn(&Diagnosed) -> bool| all.iter().filter(|one| is(one)).count();
    let mut text = format!(
        "| | |\n|---|---|\n| right object first | {} of {with_origin} |\n| object and cause | {} of {with_origin} |\n| findings on healthy cases | {} of {} |\n\n| case | first finding | right |\n|---|---|---|\n",
        count(&|one| one.has_object() == Some(true)),
        count(&|one| one.has_object_and_cause() == Some(true)),
        count(&|one| one.healthy && !one.findings.is_empty()),
        count(&|one| one.healthy),
    );
    for one in all {
        let first = one.findings.first().map_or("-".to_owned(), |first| {
            format!("{} `{}`", first.object, first.cause.as_str())
        });
        let right = match (one.has_object(), one.has_object_and_cause()) {
            (_, Some(true)) => "yes",
            (Some(true), _) => "object",
            (Some(false), _) => "no",
            (None, _) if one.healthy && !one.findings.is_empty() => "no: false finding",
            (None, _) if one.healthy => "yes",
            (None, _) => "-",
        };
        let _ = writeln!(text, "| {} | {first} | {right} |", one.case);
    }
    text
}
