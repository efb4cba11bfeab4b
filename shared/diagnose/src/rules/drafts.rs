//! Proofs and affected objects that many rules add alike.

use crate::cluster::{Event, Object};
use crate::finding::Draft;

impl Draft {
    /// An event shows it, and what the event is about suffers from it.
    pub(super) fn shown_by_event(self, event: &Event) -> Self {
        self.affecting(event.about.clone())
            .shown_by(event.source, &event.message)
    }

    /// The state of an object shows it, and the object suffers from it.
    pub(super) fn shown_by_object(self, object: &Object) -> Self {
        self.affecting(object.id.clone())
            .shown_by(object.source, &object.id.name)
    }
}
