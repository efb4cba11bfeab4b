//! What an agent is asked for after its conclusion.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::claims::CitableCall;
use crate::verification::Verification;

/// Reads the output in a reply, `{claims}` or `{claims, data}`, with `label` or `label_error` where a label is asked for; the
/// error is for the model.
type Read = dyn Fn(&str) -> Result<Value, String> + Send + Sync;

/// What is asked for after the conclusion.
#[derive(Clone)]
pub struct OutputTask {
    /// The members of the output with their schemas, as the model is shown them.
    pub members: String,
    /// Reads and checks the answer.
    pub read: Arc<Read>,
    /// Whether claims are asked for.
    pub has_claims: bool,
    /// Whether a label is asked for. One that is missing or unknown is asked for once more; then the stage has none.
    pub has_label: bool,
    /// The claims of an earlier stage that it is to refute; it has then no claims and no label of its own.
    pub verification: Option<Verification>,
    /// Calls of earlier stages that a claim may cite, oldest first.
    pub earlier_calls: Vec<CitableCall>,
}

impl fmt::Debug for OutputTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputTask").finish_non_exhaustive()
    }
}
