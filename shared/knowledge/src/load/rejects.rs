//! The file of rejected rows.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Rejection {
    pub(super) line: u64,
    pub(super) reason: String,
    /// Start of the row.
    pub(super) row: String,
}

/// Writes one JSON object per rejected row, with source, line, reason and row.
pub(super) struct Rejects {
    path: PathBuf,
    source: String,
    /// `None` until the first rejected row.
    file: Option<File>,
    /// Whether to append to the file of an earlier run.
    is_append: bool,
}

impl Rejects {
    /// Opens the file and truncates it after its first `kept` rows, because a killed run may have written more than it
    /// committed.
    pub(super) fn resume(path: &Path, source: &str, kept: u64) -> Result<Self> {
        let mut rejects = Self {
            path: path.to_owned(),
            source: source.to_owned(),
            file: None,
            is_append: kept > 0,
        };
        if kept > 0 && path.exists() {
            let file = OpenOptions::new().read(true).append(true).open(path);
            let file = file.map_err(Error::file("open", path))?;
            let mut reader = BufReader::new(&file);
            let mut bytes = 0;
            for _ in 0..kept {
                bytes += reader
                    .skip_until(b'\n')
                    .map_err(Error::file("read", path))?;
            }
            file.set_len(bytes as u64)
                .map_err(Error::file("write", path))?;
            rejects.file = Some(file);
        }
        Ok(rejects)
    }

    /// Appends rows and flushes them to disk.
    pub(super) fn add(&mut self, rejections: &[Rejection]) -> Result<()> {
        if rejections.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        for rejection in rejections {
            let line = serde_json::json!({
                "source": self.source, "line": rejection.line, "reason": rejection.reason, "row": rejection.row,
            });
            text.extend(line.to_string().into_bytes());
            text.push(b'\n');
        }
        let path = &self.path;
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut options = OpenOptions::new();
                options
                    .create(true)
                    .write(true)
                    .truncate(!self.is_append)
                    .append(self.is_append);
                none.insert(options.open(path).map_err(Error::file("open", path))?)
            }
        };
        let written = file.write_all(&text).and_then(|()| file.sync_data());
        written.map_err(Error::file("write", path))
    }
}
