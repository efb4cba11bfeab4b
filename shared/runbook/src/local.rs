//! `local:<name>` runbooks from a directory.

use std::path::{Component, Path, PathBuf};

use tokio::io::AsyncReadExt;

use crate::Error;

/// Reads a runbook in `folder`. The suffix `.md` may be left out of its name.
///
/// # Errors
///
/// If the name leads out of the folder, also by a symbolic link. If the file does not exist, is too large or is not
/// text.
pub(crate) async fn read(folder: &Path, name: &str, max_bytes: usize) -> Result<String, Error> {
    let relative = relative_path(name).ok_or(Error::LocalName)?;
    let root = tokio::fs::canonicalize(folder)
        .await
        .map_err(Error::LocalNotFound)?;
    let exact = root.join(&relative);
    let mut markdown = exact.clone().into_os_string();
    markdown.push(".md");
    let found = match tokio::fs::canonicalize(&exact).await {
        Ok(path) if path.is_file() => path,
        _ => tokio::fs::canonicalize(PathBuf::from(markdown))
            .await
            .map_err(Error::LocalNotFound)?,
    };
    if !found.starts_with(&root) || !found.is_file() {
        return Err(Error::LocalName);
    }
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(&found)
        .await
        .map_err(Error::LocalNotFound)?;
    let bound = u64::try_from(max_bytes)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    file.take(bound)
        .read_to_end(&mut bytes)
        .await
        .map_err(Error::LocalNotFound)?;
    if bytes.len() > max_bytes {
        return Err(Error::LocalTooLarge(max_bytes));
    }
    text_of(bytes)
}

/// Parses a relative path of plain names. Returns `None` for a path that leads up or outside.
fn relative_path(name: &str) -> Option<PathBuf> {
    if name.is_empty()
        || name
            .chars()
            .any(|c| c.is_control() || c == '\\' || c == ':')
    {
        return None;
    }
    let path = Path::new(name);
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then(|| path.to_owned())
}

/// Converts a runbook to text. Removes the byte order mark, and replaces bytes that are not UTF-8 by U+FFFD. Content
/// with a NUL byte is rejected as not being text.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, Error> {
    if bytes.contains(&0) {
        return Err(Error::NotText);
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}
