//! Findings of a diagnosis: objects, evidence, and drafts that are not yet ranked.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cause::Cause;

/// A reference to an object of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectRef {
    /// Kind, e.g. `Deployment`.
    pub kind: String,
    /// Namespace; empty for objects that belong to none.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
}

impl ObjectRef {
    pub(crate) fn new(kind: &str, namespace: &str, name: &str) -> Self {
        let namespace = match crate::kind::is_of_cluster(kind) {
            true => "",
            false => namespace,
        };
        Self {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.is_empty() {
            true => write!(f, "{} {}", self.kind, self.name),
            false => write!(f, "{} {}/{}", self.kind, self.namespace, self.name),
        }
    }
}

/// A failure that was recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Rank from 1, which is the most likely origin.
    pub rank: usize,
    /// Object to fix.
    pub object: ObjectRef,
    /// Cause of the failure.
    pub cause: Cause,
    /// Description of the failure in one sentence.
    pub sentence: String,
    /// Objects that the failure affects, without the object to fix.
    pub affected: Vec<ObjectRef>,
    /// Lines of results that show the failure.
    pub evidence: Vec<Evidence>,
}

/// A line of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The call as text: tool and arguments.
    pub call: String,
    /// Line number in the call's result, from 1.
    pub line: usize,
    /// The line, shortened to the part that shows the failure.
    pub text: String,
}

/// A finding before it is ranked.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) object: ObjectRef,
    pub(crate) cause: Cause,
    pub(crate) sentence: String,
    pub(crate) affected: Vec<ObjectRef>,
    /// Evidence: the index of a source, and a text that its line contains.
    pub(crate) proofs: Vec<(usize, String)>,
    /// Points that are added to the tier of the cause.
    pub(crate) weight: i32,
    /// Host or service that the object waits for.
    pub(crate) waits_for: Option<String>,
    /// Node on which the object runs.
    pub(crate) node: Option<String>,
}

impl Draft {
    pub(crate) fn new(cause: Cause, object: ObjectRef, sentence: String) -> Self {
        Self {
            object,
            cause,
            sentence,
            affected: Vec::new(),
            proofs: Vec::new(),
            weight: 0,
            waits_for: None,
            node: None,
        }
    }

    pub(crate) fn affecting(mut self, object: ObjectRef) -> Self {
        if object != self.object && !self.affected.contains(&object) {
            self.affected.push(object);
        }
        self
    }

    pub(crate) fn shown_by(mut self, source: usize, needle: &str) -> Self {
        let proof = (source, needle.trim().to_owned());
        if !proof.1.is_empty() && !self.proofs.contains(&proof) {
            self.proofs.push(proof);
        }
        self
    }

    /// Adds the affected objects and the evidence of another draft of the same failure.
    pub(crate) fn with(mut self, other: Self) -> Self {
        for object in other.affected {
            self = self.affecting(object);
        }
        for (source, needle) in other.proofs {
            self = self.shown_by(source, &needle);
        }
        self
    }

    /// Returns the host or service that the object waits for, without domain and port.
    pub(crate) fn host(&self) -> Option<&str> {
        self.waits_for.as_deref()?.split(['.', ':']).next()
    }

    pub(crate) fn weighing(mut self, weight: i32) -> Self {
        self.weight += weight;
        self
    }

    pub(crate) fn waiting_for(mut self, host: Option<String>) -> Self {
        self.waits_for = host;
        self
    }

    pub(crate) fn on_node(mut self, node: &str) -> Self {
        self.node = (!node.is_empty()).then(|| node.to_owned());
        self
    }
}
