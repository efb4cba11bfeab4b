//! SIGTERM and SIGINT: the first starts the drain, the second ends the grace period.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::Error;

/// Tokens that the process's signals cancel. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Cancelled by the first signal. Starts the drain.
    pub stop: CancellationToken,
    /// Cancelled by the second signal. Ends the grace period.
    pub hurry: CancellationToken,
}

impl Signals {
    /// Listens for the signals of this process.
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
