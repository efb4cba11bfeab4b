//! Structured output that an agent is asked for after its conclusion.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::claims::CitableCall;
use crate::verification::Verification;

/// Parser of the output in a reply: `{claims}` or `{claims, data}`, with `label` or `label_error` if a label is
/// requested. The error text is sent to the model.
type Read = dyn Fn(&str) -> Result<Value, String> + Send + Sync;

/// Output that is requested after the conclusion.
#[derive(Clone)]
pub struct OutputTask {
    /// Members of the output with their schemas, as shown to the model.
    pub members: String,
    /// Reads and checks the answer.
    pub read: Arc<Read>,
    /// Whether claims are requested.
    pub has_claims: bool,
    /// Whether a label is requested. If it is missing or unknown, it is requested once more. After that the stage has
    /// no label.
    pub has_label: bool,
    /// Claims of an earlier stage that this stage must try to refute. It then has no claims and no label itself.
    pub verification: Option<Verification>,
    /// Calls of earlier stages that a claim may cite, oldest first.
    pub earlier_calls: Vec<CitableCall>,
}

impl fmt::Debug for OutputTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputTask").finish_non_exhaustive()
    }
}
