//! Detects that the configuration file has changed.

use std::path::PathBuf;
use std::time::Duration;

use tarsy_config::{Settings, Source, hash_of};
use tokio::time::MissedTickBehavior;

/// Polls the file. A change counts only when two polls in a row find it, because an editor may still be writing the
/// file.
pub(crate) struct FileWatch {
    path: Option<PathBuf>,
    poll: Option<tokio::time::Interval>,
    loaded: Option<Vec<u8>>,
    pending: Option<Vec<u8>>,
}

impl FileWatch {
    /// Creates the watch. If the file has changed since the process loaded it, that counts as a change.
    pub(crate) fn new(settings: &Settings, started_with: &str) -> Self {
        let path = match Source::chosen_by(settings) {
            Source::File(path) => Some(path),
            Source::BuiltIn | Source::Text { .. } => None,
        };
        let poll = settings.reload.poll.filter(|_| path.is_some());
        let mut watch = Self {
            path,
            poll: poll.map(interval),
            loaded: None,
            pending: None,
        };
        let seen = watch.read();
        watch.loaded = seen.filter(|seen| hash_of(seen) == started_with);
        watch
    }

    /// Returns once the file has changed and the change is stable. Cancel safe.
    pub(crate) async fn changed(&mut self) {
        loop {
            match &mut self.poll {
                Some(poll) => poll.tick().await,
                None => std::future::pending().await,
            };
            let seen = self.read();
            if seen == self.loaded {
                self.pending = None;
            } else if self.pending.as_ref() == seen.as_ref() && seen.is_some() {
                self.loaded = self.pending.take();
                return;
            } else {
                self.pending = seen;
            }
        }
    }

    /// Marks the current content as loaded. Called before the file is loaded for any reason.
    pub(crate) fn take_as_loaded(&mut self) {
        if let Some(seen) = self.read() {
            self.loaded = Some(seen);
            self.pending = None;
        }
    }

    /// Returns the file's content; `None` if it can't be read, which does not count as a change.
    fn read(&self) -> Option<Vec<u8>> {
        std::fs::read(self.path.as_ref()?).ok()
    }
}

fn interval(every: Duration) -> tokio::time::Interval {
    let mut interval = tokio::time::interval(every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const POLL: Duration = Duration::from_secs(2);

    /// Returns a file that was loaded as `one` and now contains `two`.
    fn changed_file() -> (tempfile::TempDir, FileWatch) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agents.yaml");
        fs::write(&path, "two").unwrap();
        let watch = FileWatch {
            path: Some(path),
            poll: Some(interval(POLL)),
            loaded: Some(b"one".to_vec()),
            pending: None,
        };
        (folder, watch)
    }

    async fn sees_a_change(watch: &mut FileWatch, within: Duration) -> bool {
        tokio::time::timeout(within, watch.changed()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_reported_once() {
        let (folder, mut watch) = changed_file();
        assert!(sees_a_change(&mut watch, POLL * 2).await);
        assert!(!sees_a_change(&mut watch, POLL * 9).await);
        fs::write(folder.path().join("agents.yaml"), "three").unwrap();
        assert!(sees_a_change(&mut watch, POLL * 9).await);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_loaded_for_another_reason_is_not_reported() {
        let (_folder, mut watch) = changed_file();
        watch.take_as_loaded();
        assert!(!sees_a_change(&mut watch, POLL * 9).await);

        let (_folder, mut watch) = changed_file();
        assert!(!sees_a_change(&mut watch, POLL / 2).await, "seen once");
        watch.take_as_loaded();
        assert!(!sees_a_change(&mut watch, POLL * 9).await);
    }
}
