//! Hashes the content of a file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::error::{Error, Result};

/// Returns the SHA-256 and the size of a file, in bounded memory. Rejects pipes and devices, which can't be read twice.
pub(super) fn hash(path: &Path) -> Result<([u8; 32], u64)> {
    let kind = std::fs::metadata(path).map_err(Error::file("open", path))?;
    if !kind.is_file() {
        return Err(Error::Invalid {
            what: path.display().to_string(),
            reason: "not a regular file: save its content to a file first".to_owned(),
        });
    }
    let mut file = File::open(path).map_err(Error::file("open", path))?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1024 * 1024];
    loop {
        let count = file.read(&mut buffer).map_err(Error::file("read", path))?;
        if count == 0 {
            return Ok((hash.finalize().into(), bytes));
        }
        hash.update(&buffer[..count]);
        bytes += count as u64;
    }
}
