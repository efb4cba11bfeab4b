//! What the rules for Kubernetes say about a case, without any model.

use std::fmt::Write as _;

use serde::Serialize;
use tarsy_diagnose::{Finding, Source, report};

use crate::case::{Case, Origin};

/// The diagnosis of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosed {
    /// The case.
    pub case: String,
    /// Whether nothing is wrong in it.
    pub healthy: bool,
    /// What should be found first, if the case says it.
    pub origin: Option<Origin>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// The same as text.
    pub report: String,
}

impl Diagnosed {
    /// Whether the first finding names the object to mend; `None` if the case does not say which it is.
    #[must_use]
    pub fn has_object(&self) -> Option<bool> {
        let origin = self.origin.as_ref()?;
        let first = self.findings.first();
        Some(first.is_some_and(|first| origin.objects.contains(&first.object.name)))
    }

    /// Whether the first finding names that object and the cause.
    #[must_use]
    pub fn has_object_and_cause(&self) -> Option<bool> {
        let mut causes = self.origin.as_ref()?.causes.iter();
        let found = self.findings.first().map(|first| first.cause.as_str());
        Some(self.has_object()? && causes.any(|cause| found == Some(cause.as_str())))
    }
}

/// Diagnoses what all records of a case show. An agent reads less: it makes some of the calls.
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

/// Totals and a line for each case, as Markdown.
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
