//! A TCP proxy for Postgres that can silence its connections, and can change their target.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use url::Url;

/// A proxy on a free port. It ends with the runtime.
///
/// [`silence`](Self::silence) has the effect of a firewall or a lost host: connections stay open and accept data, but
/// never respond.
#[derive(Debug)]
pub struct SilentProxy {
    address: SocketAddr,
    target: Url,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Silences the connections opened since the last call of [`SilentProxy::silence`].
    silence: watch::Sender<bool>,
    /// Whether new connections are silent too.
    is_away: bool,
    /// Host and port that new connections lead to.
    target: (String, u16),
    /// Whether data are held back.
    pause: watch::Sender<bool>,
}

impl SilentProxy {
    /// Starts a proxy for the database of this URL.
    ///
    /// # Panics
    ///
    /// When the URL names no host, or there is no free port.
    pub async fn before(url: &str) -> Self {
        let target: Url = url.parse().expect("a URL of a database");
        let host = target.host_str().expect("a host").to_owned();
        let port = target.port().unwrap_or(5432);
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port for the proxy");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(Mutex::new(State {
            target: (host, port),
            ..State::default()
        }));
        let held = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let open = {
                    let state = lock(&held);
                    let open = || {
                        let (silence, pause) = (state.silence.subscribe(), state.pause.subscribe());
                        (state.target.clone(), silence, pause)
                    };
                    (!state.is_away).then(open)
                };
                match open {
                    Some((target, silence, pause)) => {
                        tokio::spawn(serve(client, target, silence, pause))
                    }
                    None => tokio::spawn(keep_open(client)),
                };
            }
        });
        Self {
            address,
            target,
            state,
        }
    }

    /// Returns the URL of the same database through this proxy.
    ///
    /// # Panics
    ///
    /// Never, because the original URL has a host.
    #[must_use]
    pub fn url(&self) -> String {
        let mut url = self.target.clone();
        url.set_ip_host(self.address.ip()).expect("a host");
        url.set_port(Some(self.address.port())).expect("a port");
        url.into()
    }

    /// Silences the open connections without closing them. New connections work. Returns when the open ones are silent.
    pub async fn silence(&self) {
        let before = std::mem::take(&mut lock(&self.state).silence);
        before.send_replace(true);
        before.closed().await;
    }

    /// Leads new connections to this port of the local machine, like a host name whose address is changed.
    pub fn lead_to(&self, port: u16) {
        lock(&self.state).target = ("127.0.0.1".to_owned(), port);
    }

    /// Holds back all data from now on, over new connections too, until [`resume`](Self::resume) passes them on.
    pub fn pause(&self) {
        lock(&self.state).pause.send_replace(true);
    }

    /// Ends a [`pause`](Self::pause).
    pub fn resume(&self) {
        lock(&self.state).pause.send_replace(false);
    }

    /// Silences all connections, future ones included.
    pub async fn silence_for_ever(&self) {
        lock(&self.state).is_away = true;
        self.silence().await;
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(
    mut client: TcpStream,
    target: (String, u16),
    mut silence: watch::Receiver<bool>,
    pause: watch::Receiver<bool>,
) {
    let Ok(mut server) = TcpStream::connect(target).await else {
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let is_silent = {
        let (client_reads, client_writes) = client.split();
        let (server_reads, server_writes) = server.split();
        tokio::select! {
            biased;
            silenced = silence.wait_for(|silent| *silent) => silenced.is_ok(),
            () = pass(client_reads, server_writes, pause.clone()) => false,
            () = pass(server_reads, client_writes, pause) => false,
        }
    };
    drop(silence);
    if is_silent {
        // Both ends stay open, so that neither sees the other close.
        tokio::join!(keep_open(client), keep_open(server));
    }
}

/// Keeps a connection open forever, without responding.
async fn keep_open(stream: TcpStream) {
    let _held = stream;
    std::future::pending::<()>().await;
}

async fn pass(mut from: ReadHalf<'_>, mut to: WriteHalf<'_>, mut pause: watch::Receiver<bool>) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await;
        // The end of a connection is held back like data.
        let _ = pause.wait_for(|paused| !paused).await;
        let Ok(count @ 1..) = read else { return };
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
