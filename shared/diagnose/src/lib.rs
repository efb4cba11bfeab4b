//! Recognises the well-known failures of Kubernetes without a model.
//!
//! [`Cluster`] collects what tools returned, in whatever form: YAML, JSON, tables, descriptions, logs. Rules look at it, and
//! [`Cluster::diagnose`] returns ranked findings with the lines that show them. Everything is a pure function of the results:
//! no I/O, no clock, and no input makes it panic.

mod cause;
mod cluster;
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
    /// The failures that the results show, the most likely origin first; at most eight. `alert` is the alert's data: its
    /// namespace limits where to look, and objects that it names come first.
    #[must_use]
    pub fn diagnose(&self, alert: &Value) -> Vec<Finding> {
        rank::findings(self, &rank::Focus::new(alert), rules::apply(self))
    }
}

/// Diagnoses all results at once.
#[must_use]
pub fn diagnose(sources: Vec<Source>, alert: &Value) -> Vec<Finding> {
    let mut cluster = Cluster::default();
    for source in sources {
        cluster.add(source);
    }
    cluster.diagnose(alert)
}
