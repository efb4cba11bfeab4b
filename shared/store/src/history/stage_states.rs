//! States of a session's stages, in the order of its chain.

use tarsy_model::StageStatus;

/// State of a stage of a chain, over all its branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageState {
    /// Name of the stage.
    pub name: String,
    /// Status; `None`: it has not started, or will run again because a stage that it needs was replayed.
    pub status: Option<StageStatus>,
}

impl StageState {
    /// Returns the name in the API.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self.status {
            Some(status) => status.as_str(),
            None => "not_started",
        }
    }

    /// Combines the names of a chain's stages with their letters, as written by the SQL function `stage_states`.
    pub(super) fn read(names: Vec<String>, letters: &str) -> Vec<Self> {
        let statuses = letters.chars().map(status).chain(std::iter::repeat(None));
        let stages = names.into_iter().zip(statuses);
        stages.map(|(name, status)| Self { name, status }).collect()
    }
}

const fn status(letter: char) -> Option<StageStatus> {
    match letter {
        'p' => Some(StageStatus::Pending),
        'a' => Some(StageStatus::Active),
        'w' => Some(StageStatus::Waiting),
        'c' => Some(StageStatus::Completed),
        'f' => Some(StageStatus::Failed),
        'x' => Some(StageStatus::Cancelled),
        's' => Some(StageStatus::Skipped),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::StageState;

    #[test]
    fn each_stage_has_its_letter_and_one_without_has_not_started() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(str::to_owned);
        let states = StageState::read(names.into(), "pawcfxs-");
        let words: Vec<&str> = states.iter().map(StageState::as_str).collect();
        assert_eq!(
            words,
            [
                "pending",
                "active",
                "waiting",
                "completed",
                "failed",
                "cancelled",
                "skipped",
                "not_started",
                "not_started"
            ]
        );
        assert_eq!(states[8].name, "i");
    }
}
