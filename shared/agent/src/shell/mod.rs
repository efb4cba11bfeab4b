//! The imperative shell: performs what the core decides and records it.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{AgentBrief, Model, Recorder, RunError, StageOutcome, Tools, Transcript};

/// One agent at work on one stage execution.
pub struct Agent<'a> {
    /// The model it asks.
    pub model: &'a dyn Model,
    /// The tools it may call.
    pub tools: &'a dyn Tools,
    /// Where everything it does is written.
    pub recorder: &'a dyn Recorder,
}

impl Agent<'_> {
    /// Run, or go on from `transcript`, until the stage ends.
    ///
    /// `deadline` is the stage's stored one: a resumed stage gets what is left of it.
    ///
    /// # Errors
    ///
    /// [`RunError`] when the run stops without an outcome; everything done so far is recorded.
    pub async fn run(
        &self,
        _brief: &AgentBrief,
        _transcript: Transcript,
        _deadline: Instant,
        _cancel: &CancellationToken,
    ) -> Result<StageOutcome, RunError> {
        Err(RunError::Cancelled)
    }
}
