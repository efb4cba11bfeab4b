//! Intents written behind their calls, where a torture test is to show that it would notice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsy_model::{InteractionId, McpIntent};

/// Intents that wait for their results; empty unless writing ahead is switched off.
#[derive(Default)]
pub(crate) struct LateIntents(Mutex<Vec<McpIntent>>);

impl LateIntents {
    /// Keep the intent back, if writing ahead is switched off.
    pub(crate) fn keep(&self, intent: &McpIntent) -> bool {
        let late = tarsy_failpoint::disabled("intent");
        if late {
            self.kept().push(intent.clone());
        }
        late
    }

    /// The intent that was kept back.
    pub(crate) fn take(&self, id: InteractionId) -> Option<McpIntent> {
        let mut kept = self.kept();
        let place = kept.iter().position(|intent| intent.interaction_id == id)?;
        Some(kept.swap_remove(place))
    }

    fn kept(&self) -> MutexGuard<'_, Vec<McpIntent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
