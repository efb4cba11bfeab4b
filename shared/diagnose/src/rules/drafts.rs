//! Methods that add evidence and affected objects to drafts, shared by many rules.

use crate::cluster::{Event, Object};
use crate::finding::Draft;

impl Draft {
    /// Adds an event as evidence, and its object as affected.
    pub(super) fn shown_by_event(self, event: &Event) -> Self {
        self.affecting(event.about.clone())
            .shown_by(event.source, &event.message)
    }

    /// Adds the line with an object's name as evidence, and the object as affected.
    pub(super) fn shown_by_object(self, object: &Object) -> Self {
        self.affecting(object.id.clone())
            .shown_by(object.source, &object.id.name)
    }
}
