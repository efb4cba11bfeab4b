//! A small disk for Postgres: a tmpfs, filled by a ballast file.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Size that is enough for a long run's tables and log.
const SIZE: &str = "size=4g";

/// A mounted tmpfs; unmounted when dropped.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a small disk on `folder`; `None` if that is not allowed.
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", SIZE, "tarsy-torture"])
            .arg(folder)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then(|| Self {
                folder: folder.to_owned(),
            })
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) -> std::io::Result<()> {
        let mut ballast = std::fs::File::create(self.ballast())?;
        let block = vec![0; 1 << 20];
        let mut size = block.len();
        while size > 0 {
            match ballast.write_all(block.get(..size).unwrap_or_default()) {
                Ok(()) => {}
                // Fill down to single pages, because Postgres writes pages.
                Err(_) if size > 4096 => size /= 2,
                Err(_) => break,
            }
        }
        Ok(())
    }

    pub(crate) fn free(&self) {
        let _ = std::fs::remove_file(self.ballast());
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}
