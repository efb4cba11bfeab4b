//! Handles Ctrl-C. The terminal also sends it to child processes. This process cleans up and exits.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

static REQUESTED: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

/// Installs the handler. The first Ctrl-C, SIGTERM or SIGHUP is recorded. The second one ends the process.
pub(crate) fn install_handler() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot handle Ctrl-C")?;
    let mut signals = {
        let _inside = runtime.enter();
        let listen = |kind| signal(kind).context("cannot handle Ctrl-C");
        [
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]
    };
    std::thread::spawn(move || {
        runtime.block_on(any(&mut signals));
        *REQUESTED.lock().unwrap_or_else(PoisonError::into_inner) = true;
        CHANGED.notify_all();
        runtime.block_on(any(&mut signals));
        leave();
    });
    Ok(())
}

async fn any([one, two, three]: &mut [Signal; 3]) {
    tokio::select! {
        _ = one.recv() => {}
        _ = two.recv() => {}
        _ = three.recv() => {}
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the second signal: the user does not want to wait"
)]
fn leave() {
    std::process::exit(130)
}

/// Whether this process has received such a signal.
pub(crate) fn is_requested() -> bool {
    *REQUESTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a while, or until a signal arrives. Returns whether one has arrived.
pub(crate) fn wait_for(time: Duration) -> bool {
    let requested = REQUESTED.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = CHANGED.wait_timeout_while(requested, time, |requested| !*requested);
    let (requested, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *requested
}

/// Waits until a signal arrives.
pub(crate) fn wait() {
    let requested = REQUESTED.lock().unwrap_or_else(PoisonError::into_inner);
    drop(CHANGED.wait_while(requested, |requested| !*requested));
}
