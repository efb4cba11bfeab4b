//! What has happened in one stage execution.

use tarsy_model::RecordedInteraction;

/// The record of a stage execution, in the order of its sequence.
///
/// Built from rows when a stage is claimed; empty for the first attempt.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    entries: Vec<RecordedInteraction>,
}

impl Transcript {
    /// The transcript that the rows of a stage execution tell, in any order.
    #[must_use]
    pub fn from_records(mut records: Vec<RecordedInteraction>) -> Self {
        records.sort_by_key(RecordedInteraction::sequence);
        Self { entries: records }
    }

    /// All entries, by sequence.
    #[must_use]
    pub fn entries(&self) -> &[RecordedInteraction] {
        &self.entries
    }
}
