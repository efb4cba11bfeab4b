//! Selects where tests and the programs that they start find this machine's certificate authorities.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Variables with the path of a file that contains all authorities, and of a folder with a file for each.
const FILE: &str = "SSL_CERT_FILE";
const FOLDER: &str = "SSL_CERT_DIR";

/// Path of the file on Debian.
const OF_DEBIAN: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Makes a command and its child processes read the authorities only from the file.
///
/// By default, each HTTP client of each process also reads the folder, whose 290 files have the same content. That
/// takes a sixth of the CPU time of a service's start.
pub(crate) fn from_one_file(command: &mut Command) -> &mut Command {
    match file(env::var_os(FILE), env::var_os(FOLDER), Path::new(OF_DEBIAN)) {
        Some(file) => command.env(FILE, file).env_remove(FOLDER),
        None => command,
    }
}

/// Returns the file that the environment names, or else the system's file. Returns `None` if only a folder is named,
/// because it may contain other authorities.
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
