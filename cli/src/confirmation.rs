//! Confirmation of actions that are irreversible or affect many sessions.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Result, bail};

/// Confirmation option.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Confirmation {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

impl Confirmation {
    /// Asks the user to confirm `what`. Without a terminal, `--yes` is required.
    ///
    /// # Errors
    ///
    /// If standard input is not a terminal and `--yes` is missing.
    pub(crate) fn confirm(self, what: &str) -> Result<bool> {
        if self.yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            bail!(
                "{what}: standard input is not a terminal; pass --yes to confirm, or --dry-run to preview"
            );
        }
        let mut terminal = std::io::stderr();
        write!(terminal, "{what}? [y/N] ")?;
        terminal.flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}
