//! Recognises well-known failures of Kubernetes without a model.
//!
//! [`Cluster`] collects tool results in any of these forms: YAML, JSON, tables, the text of `kubectl describe`, logs.
//! [`Cluster::diagnose`] applies all rules and returns ranked findings with the lines that show them.
//!
//! Everything is a pure function of the results: no I/O, no clock, and no input makes it panic.

mod cause;
mod cluster;
mod data;
mod facts;
mod fields;
mod finding;
mod kind;
mod rank;
mod read;
mod report;
mod rules;
mod source;
mod wanted;

use serde_json::Value;

pub use cause::Cause;
pub use cluster::Cluster;
pub use finding::{Evidence, Finding, ObjectRef};
pub use report::report;
pub use source::Source;
pub use wanted::{Reading, wanted};

impl Cluster {
    /// Returns at most eight failures that the results show, the most likely origin first.
    ///
    /// `alert` is the alert's data. Its namespace limits which objects are considered, and objects that it names come
    /// first.
    #[must_use]
    pub fn diagnose(&self, alert: &Value) -> Vec<Finding> {
        rank::findings(self, &rank::Focus::new(alert), rules::apply(self))
    }
}

/// Diagnoses all results at once, like [`Cluster::diagnose`].
#[must_use]
pub fn diagnose(sources: Vec<Source>, alert: &Value) -> Vec<Finding> {
    let mut cluster = Cluster::default();
    for source in sources {
        cluster.add(source);
    }
    cluster.diagnose(alert)
}
