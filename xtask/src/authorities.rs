//! Where tests and what they start find the certificate authorities of this machine.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The file with all of them, and the folder with a file for each of the same.
const FILE: &str = "SSL_CERT_FILE";
const FOLDER: &str = "SSL_CERT_DIR";

/// Where Debian has the file.
const OF_DEBIAN: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Lets a command and what it starts read the authorities from one file alone.
///
/// By default they are read from the folder too, 290 files with the same content, by each HTTP client of each process: a
/// sixth of what the start of a service computes.
pub(crate) fn from_one_file(command: &mut Command) -> &mut Command {
    match file(env::var_os(FILE), env::var_os(FOLDER), Path::new(OF_DEBIAN)) {
        Some(file) => command.env(FILE, file).env_remove(FOLDER),
        None => command,
    }
}

/// The file of the environment, else of the system. None if only a folder is named, which may have others.
fn file(named: Option<OsString>, folder: Option<OsString>, system: &Path) -> Option<OsString> {
    match (named, folder) {
        (Some(file), _) => Some(file),
        (None, Some(_)) => None,
        (None, None) => system.is_file().then(|| system.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_alone_unless_only_a_folder_is_named() {
        let some = |path: &str| Some(OsString::from(path));
        let (there, missing) = (Path::new("/"), Path::new("/nowhere"));
        let system = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(file(some("/a"), some("/b"), missing), some("/a"));
        assert_eq!(file(some("/a"), None, &system), some("/a"));
        assert_eq!(file(None, some("/b"), &system), None);
        assert_eq!(file(None, None, &system), Some(system.clone().into()));
        assert_eq!(file(None, None, missing), None);
        assert_eq!(file(None, None, there), None, "a folder");
    }
}
