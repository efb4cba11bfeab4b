//! The fake runbook server, with several behaviours.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;
use tokio::time::sleep;

/// Size above the limit of a runbook, in bytes.
const TOO_LARGE: usize = 2 * 1024 * 1024;

const RUNBOOK: &str = include_str!("../fixtures/runbooks/trouble.md");

/// Behaviour of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// Answers at once.
    Good,
    /// Answers in a second.
    Slow,
    /// Answers after the timeout.
    Hanging,
    /// Every answer is a 500.
    Failing,
    /// Every answer has 2 MiB.
    TooLarge,
}

impl Mode {
    pub(crate) const BAD: [Self; 4] = [Self::Slow, Self::Hanging, Self::Failing, Self::TooLarge];
}

/// The fake runbook server.
#[derive(Debug)]
pub(crate) struct Library {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    mode: AtomicU8,
    requests: AtomicUsize,
}

impl Library {
    /// Listens on a free port until the runtime ends.
    pub(crate) async fn open() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.context("the runbooks' server needs a port")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let held = Arc::clone(&shared);
        let shelf = Router::new().fallback(move || answer(Arc::clone(&held)));
        tokio::spawn(async move { axum::serve(listener, shelf).await });
        Ok(Self { port, shared })
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// URL of the runbook.
    pub(crate) fn url(&self) -> String {
        format!("http://localhost:{}/trouble.md", self.port)
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.shared.mode.store(mode as u8, Ordering::SeqCst);
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

async fn answer(shared: Arc<Shared>) -> Response {
    shared.requests.fetch_add(1, Ordering::SeqCst);
    let mode = shared.mode.load(Ordering::SeqCst);
    let mode = Mode::BAD.into_iter().find(|bad| *bad as u8 == mode);
    match mode.unwrap_or(Mode::Good) {
        Mode::Good => {}
        Mode::Slow => sleep(Duration::from_secs(1)).await,
        Mode::Hanging => sleep(Duration::from_secs(30)).await,
        Mode::Failing => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Mode::TooLarge => return "x".repeat(TOO_LARGE).into_response(),
    }
    RUNBOOK.into_response()
}
