//! A proxy in front of Postgres that tears rows on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// A running proxy. It ends with the runtime.
pub(super) struct Tearing {
    port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    tears: AtomicBool,
    torn: AtomicUsize,
}

impl Tearing {
    /// Starts a proxy on a free port in front of the Postgres on `port`.
    pub(super) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            state: Arc::default(),
        };
        let state = Arc::clone(&proxy.state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&state)));
            }
        });
        proxy
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// Sets whether every row is torn from now on.
    pub(super) fn tear(&self, tears: bool) {
        self.state.tears.store(tears, Ordering::SeqCst);
    }

    /// Returns the number of rows torn so far.
    pub(super) fn torn(&self) -> usize {
        self.state.torn.load(Ordering::SeqCst)
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, state: Arc<State>) {
    let (mut from_client, answers) = client.split();
    let (from_server, mut to_server) = server.split();
    tokio::select! {
        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
        _ = pass_answers(from_server, answers, &state) => {}
    }
}

/// Forwards the server's messages one by one. A message has a type, a length that includes its own
/// four bytes, and a body (PostgreSQL, "Message Formats").
async fn pass_answers(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    state: &State,
) -> std::io::Result<()> {
    loop {
        let (kind, length) = (from.read_u8().await?, from.read_u32().await?);
        let mut body = vec![0; usize::try_from(length).unwrap() - 4];
        from.read_exact(&mut body).await?;
        // A row has the number of columns, then each column with its length before it.
        if kind == b'D' && body.len() > 6 && state.tears.load(Ordering::SeqCst) {
            body[2..6].copy_from_slice(&i32::MAX.to_be_bytes());
            state.torn.fetch_add(1, Ordering::SeqCst);
        }
        to.write_u8(kind).await?;
        to.write_u32(length).await?;
        to.write_all(&body).await?;
    }
}
