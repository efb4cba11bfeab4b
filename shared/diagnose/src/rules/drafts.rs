//! Proofs and affected objects that many rules add alike.

use crate::facts::{Complaint, Event, Pod};
use crate::finding::Draft;

impl Draft {
    /// An event shows it, and what the event is about suffers from it.
    pub(super) fn told_by(self, event: &Event<'_>) -> Self {
        self.affecting(event.about.clone())
            .shown_by(event.source, event.message)
    }

    /// A complaint shows it, and what the complaint is about suffers from it.
    pub(super) fn complained_of(self, complaint: &Complaint<'_>) -> Self {
        self.affecting(complaint.about.clone())
            .shown_by(complaint.source, complaint.message)
    }

    /// The state of a pod shows it, and the pod suffers from it.
    pub(super) fn seen_at(self, pod: &Pod<'_>) -> Self {
        self.affecting(pod.object.id.clone())
            .shown_by(pod.object.source(), &pod.object.id.name)
    }
}
