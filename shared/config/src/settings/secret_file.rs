//! Values of variables that are stored in files, as Docker and Kubernetes mount secrets.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Suffix of variables whose value is the path of a file.
pub(crate) const SUFFIX: &str = "_FILE";
/// Largest file, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The file that `NAME_FILE` names for `NAME`. It is read only when `NAME` is first read, because variables of other
/// programs end with `_FILE` too.
#[derive(Clone)]
pub(super) struct SecretFile {
    path: PathBuf,
    /// The content, or the reason why it can't be read.
    content: OnceLock<Result<String, String>>,
}

impl SecretFile {
    pub(super) fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            content: OnceLock::new(),
        }
    }

    /// Returns the content without the trailing newline; `None` if the file is unusable.
    pub(super) fn content(&self) -> Option<&str> {
        let content = self.content.get_or_init(|| read(&self.path));
        content.as_deref().ok()
    }

    /// Whether the content was read.
    pub(super) fn is_used(&self) -> bool {
        self.content.get().is_some()
    }

    /// Returns the problem with the file, if it was read and has one.
    pub(super) fn problem(&self) -> Option<String> {
        let reason = self.content.get()?.as_ref().err()?;
        Some(format!("the file {} {reason}", self.path.display()))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| format!("can't be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("is larger than {} KiB", LARGEST / 1024));
    }
    let mut text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    // Remove one newline, which editors and `echo` add.
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let length = line.strip_suffix('\r').unwrap_or(line).len();
    text.truncate(length);
    if text.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    Ok(text)
}
