//! Account that the server runs under, because PostgreSQL refuses to run as root.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Report;
use crate::{Error, Result, UNPRIVILEGED_ID};

/// Account of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account {
    /// The account of this process, which is not root.
    Own,
    /// `nobody`, because this process runs as root.
    Nobody,
}

impl Account {
    pub(super) fn choose() -> Self {
        if rustix::process::geteuid().is_root() {
            Self::Nobody
        } else {
            Self::Own
        }
    }

    /// Returns a command that runs under this account, without `PG*` variables.
    pub(super) fn command(self, program: &Path, home: &Path) -> Command {
        let mut command = Command::new(program);
        let foreign = std::env::vars_os()
            .map(|(name, _)| name)
            .filter(|name| name.as_encoded_bytes().starts_with(b"PG"));
        for name in foreign {
            command.env_remove(name);
        }
        command
            .current_dir(home)
            .env("HOME", home)
            .env("LC_ALL", "C");
        if self == Self::Nobody {
            command.uid(UNPRIVILEGED_ID).gid(UNPRIVILEGED_ID);
        }
        command
    }

    /// Hands a file or folder over to this account.
    pub(super) fn take(self, path: &Path) -> Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Nobody => chown(path, Some(UNPRIVILEGED_ID), Some(UNPRIVILEGED_ID))
                .map_err(Error::io("hand over", path)),
        }
    }

    /// Whether this account may enter the folder, or its nearest existing ancestor.
    pub(super) fn reaches(self, folder: &Path) -> bool {
        if self == Self::Own {
            return true;
        }
        let Ok(absolute) = std::path::absolute(folder) else {
            return false;
        };
        let existing = absolute
            .ancestors()
            .find_map(|path| path.canonicalize().ok());
        existing.is_some_and(|path| path.ancestors().all(enterable))
    }
}

fn enterable(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|meta| {
        meta.permissions().mode() & 0o001 != 0
            || (meta.uid() == UNPRIVILEGED_ID && meta.permissions().mode() & 0o100 != 0)
    })
}

/// Returns `wanted`, or a replacement that the server's account can reach.
///
/// Root's checkouts are often below a folder that only root may enter. The replacement is in
/// `/var/cache`, where other users cannot plant links. It is always the same for the same `wanted`.
/// `report` is called with a message about it.
#[must_use]
pub fn reachable_folder(wanted: &Path, report: Report<'_>) -> PathBuf {
    if Account::choose().reaches(wanted) {
        return wanted.to_owned();
    }
    let absolute = std::path::absolute(wanted).unwrap_or_else(|_| wanted.to_owned());
    let name: Vec<_> = absolute
        .components()
        .filter_map(|part| part.as_os_str().to_str().filter(|text| *text != "/"))
        .collect();
    let replacement = Path::new("/var/cache/tarsy").join(name.join("-"));
    report(&format!(
        "{} is closed to the unprivileged account that runs PostgreSQL; using {}",
        wanted.display(),
        replacement.display()
    ));
    replacement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_ancestor_keeps_the_unprivileged_account_out() {
        let closed = tempfile::tempdir().unwrap();
        std::fs::set_permissions(closed.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!Account::Nobody.reaches(&closed.path().join("not/yet/there")));
        assert!(Account::Own.reaches(closed.path()));
        assert!(Account::Nobody.reaches(Path::new("/usr/lib")));
    }
}
