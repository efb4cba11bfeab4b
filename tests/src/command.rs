//! Runs the `tarsy` program.

use std::process::Stdio;

use serde_json::Value;
use tarsy_testing::process::binary;

/// What a command said, and whether it went well.
#[derive(Debug)]
pub struct Said {
    went_well: bool,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// Run `tarsy` with these arguments and variables to its end.
///
/// # Panics
///
/// When it can't be started.
pub async fn tarsy(arguments: &str, environment: &[(&str, &str)]) -> Said {
    let mut command = tokio::process::Command::new(binary("tarsy"));
    command
        .args(arguments.split_whitespace())
        .env_remove("DATABASE_URL")
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    let output = command.output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said {
        went_well: output.status.success(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

impl Said {
    /// Its output as JSON.
    ///
    /// # Panics
    ///
    /// When the command failed, or said something else.
    #[must_use]
    pub fn json(&self) -> Value {
        assert!(self.went_well, "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }

    /// Fail unless the command went well and its output holds `text`.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn holds(&self, text: &str) {
        assert!(
            self.went_well && self.out.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }

    /// Fail unless the command failed and its output holds `text`.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn fails_saying(&self, text: &str) {
        assert!(
            !self.went_well && self.out.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }

    /// Fail unless the command failed and complained about `text`.
    ///
    /// # Panics
    ///
    /// Otherwise.
    #[track_caller]
    pub fn complains(&self, text: &str) {
        assert!(
            !self.went_well && self.err.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }
}
