//! Asking before something is done that can't be taken back, or to many.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Result, bail};

/// Whether to ask first.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Confirmation {
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
}

impl Confirmation {
    /// Whether the user agrees to `what`; without a terminal only `--yes` agrees.
    ///
    /// # Errors
    ///
    /// When there is nobody to ask.
    pub(crate) fn confirm(self, what: &str) -> Result<bool> {
        if self.yes {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() {
            bail!("{what} needs --yes where nobody can be asked; --dry-run shows what it would do");
        }
        let mut asked = std::io::stderr();
        write!(asked, "{what}? [y/N] ")?;
        asked.flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}
