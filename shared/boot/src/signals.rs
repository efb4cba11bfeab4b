//! SIGTERM and SIGINT: the first asks to drain, the second to hurry.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::Error;

/// Fired by the process's signals. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Take no more work and finish what runs.
    pub stop: CancellationToken,
    /// End the grace period now.
    pub hurry: CancellationToken,
}

impl Signals {
    /// Listen to the signals of this process.
    ///
    /// # Errors
    ///
    /// [`Error::Signals`].
    pub fn listen() -> Result<Self, Error> {
        let signals = Self::default();
        let mut term = signal(SignalKind::terminate()).map_err(Error::Signals)?;
        let mut int = signal(SignalKind::interrupt()).map_err(Error::Signals)?;
        let fired = signals.clone();
        tokio::spawn(async move {
            for token in [&fired.stop, &fired.hurry] {
                tokio::select! {
                    _ = term.recv() => {}
                    _ = int.recv() => {}
                }
                let draining = !fired.stop.is_cancelled();
                tracing::info!(
                    draining,
                    "signal received: {}",
                    if draining { "draining" } else { "hurrying" }
                );
                token.cancel();
            }
        });
        Ok(signals)
    }
}
