//! Ctrl-C: our children get it from the terminal themselves; we clean up and end.

use std::sync::{Condvar, Mutex, PoisonError};

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

static ASKED: Mutex<bool> = Mutex::new(false);
static TOLD: Condvar = Condvar::new();

/// From now on the first Ctrl-C, SIGTERM or closed terminal is noted and does not end this process;
/// the second one does.
pub(crate) fn watch() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot watch for Ctrl-C")?;
    let mut signals = {
        let _inside = runtime.enter();
        let listen = |kind| signal(kind).context("cannot watch for Ctrl-C");
        [
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]
    };
    std::thread::spawn(move || {
        runtime.block_on(any(&mut signals));
        *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = true;
        TOLD.notify_all();
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
    reason = "asked twice: the user does not want to wait for us"
)]
fn leave() {
    std::process::exit(130)
}

/// Whether we were asked to end.
pub(crate) fn asked() -> bool {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wait until we are asked to end.
pub(crate) fn wait() {
    let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    drop(TOLD.wait_while(asked, |asked| !*asked));
}
