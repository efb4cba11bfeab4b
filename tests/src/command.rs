//! Runs the `tarsy` program.

use std::process::Stdio;

use serde_json::Value;
use tarsy_testing::process::binary;

/// Output of a command, and whether it succeeded.
#[derive(Debug)]
pub struct CommandOutput {
    succeeded: bool,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// Runs `tarsy` to its end with these arguments, separated by spaces, and these variables.
///
/// # Panics
///
/// When it can't be started, or its output is not UTF-8.
pub async fn tarsy(arguments: &str, environment: &[(&str, &str)]) -> CommandOutput {
    let mut command = tokio::process::Command::new(binary("tarsy"));
    command
        .args(arguments.split_whitespace())
        .env_remove("DATABASE_URL")
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    let output = command.output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput {
        succeeded: output.status.success(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

impl CommandOutput {
    /// Returns its output as JSON.
    ///
    /// # Panics
    ///
    /// When the command failed, or its output is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        assert!(self.succeeded, "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }

    /// Asserts that the command succeeded and its output contains `text`.
    ///
    /// # Panics
    ///
    /// When that is not so.
    #[track_caller]
    pub fn prints(&self, text: &str) {
        assert!(
            self.succeeded && self.out.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }

    /// Asserts that the command failed and its standard output contains `text`.
    ///
    /// # Panics
    ///
    /// When that is not so.
    #[track_caller]
    pub fn fails_printing(&self, text: &str) {
        assert!(
            !self.succeeded && self.out.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }

    /// Asserts that the command failed and its standard error contains `text`.
    ///
    /// # Panics
    ///
    /// When that is not so.
    #[track_caller]
    pub fn fails_with_error(&self, text: &str) {
        assert!(
            !self.succeeded && self.err.contains(text),
            "{}{}",
            self.out,
            self.err
        );
    }
}
