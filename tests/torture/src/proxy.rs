//! A TCP proxy between one process and Postgres that can be slow, one-way or cut.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// State of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Link {
    /// Passes everything on.
    Good,
    /// Delays each piece by up to 200 ms.
    Slow,
    /// Drops what the process sends; the server's replies arrive.
    Mute,
    /// Drops what the server sends; the process's requests arrive.
    Deaf,
    /// Drops both directions.
    Cut,
}

impl Link {
    pub(crate) const BAD: [Self; 4] = [Self::Slow, Self::Mute, Self::Deaf, Self::Cut];

    fn from_code(code: u8) -> Self {
        Self::BAD
            .into_iter()
            .find(|link| *link as u8 == code)
            .unwrap_or(Self::Good)
    }
}

/// How a connection goes silent. The process sees neither FIN nor RST, and nothing more arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// Postgres sees the client close, as when a firewall forgets one direction.
    ServerEnds,
    /// Postgres keeps the client until keepalives fail ([`KEEPALIVE`]).
    ServerHangs,
}

/// How long a server keeps a silent client.
const KEEPALIVE: Duration = Duration::from_secs(20);

/// A running proxy; ends with the runtime.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    link: AtomicU8,
    /// Remaining bytes from the server before connections are reset; `usize::MAX`: no limit.
    left: AtomicUsize,
    /// Incremented to reset all connections.
    resets: watch::Sender<u64>,
    /// Set to silence all connections, or the one from this port.
    silences: watch::Sender<(Silence, Option<u16>)>,
    /// Number of cut replies.
    cuts: AtomicUsize,
    /// Local ports of the connections to the server.
    ports: Mutex<BTreeSet<u16>>,
    random: Mutex<SmallRng>,
}

impl Proxy {
    /// Starts a proxy for `target` on a free port.
    pub(crate) async fn start(target: SocketAddr, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .context("the proxy needs a port")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            link: AtomicU8::new(Link::Good as u8),
            left: AtomicUsize::new(usize::MAX),
            resets: watch::Sender::new(0),
            silences: watch::Sender::new((Silence::ServerEnds, None)),
            cuts: AtomicUsize::new(0),
            ports: Mutex::default(),
            random: Mutex::new(SmallRng::seed_from_u64(seed)),
        });
        let held = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, target, Arc::clone(&held)));
            }
        });
        Ok(Self { port, shared })
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn set(&self, link: Link) {
        self.shared.link.store(link as u8, Ordering::SeqCst);
    }

    /// Resets every connection; returns how many there were.
    pub(crate) fn reset(&self) -> usize {
        let open = self.open();
        self.shared.resets.send_modify(|count| *count += 1);
        open
    }

    /// Silences every connection for good; returns how many there were. New ones work.
    pub(crate) fn silence(&self, how: Silence) -> usize {
        let open = self.open();
        self.shared.silences.send_replace((how, None));
        open
    }

    /// Silences one connection for good, by its port towards the server.
    pub(crate) fn silence_one(&self, how: Silence, port: u16) {
        self.shared.silences.send_replace((how, Some(port)));
    }

    /// Number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.shared.resets.receiver_count()
    }

    /// Source ports of its connections to the server.
    pub(crate) fn ports(&self) -> Vec<i32> {
        self.shared.ports().iter().copied().map(i32::from).collect()
    }

    /// Number of replies cut so far.
    pub(crate) fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::SeqCst)
    }

    /// Resets the connection over which the server sends this many more bytes, which may cut the confirmation of a
    /// commit.
    pub(crate) fn cut_after(&self, bytes: usize) {
        self.shared.left.store(bytes, Ordering::SeqCst);
    }
}

async fn serve(mut client: TcpStream, target: SocketAddr, shared: Arc<Shared>) {
    let Ok(mut server) = TcpStream::connect(target).await else {
        // Behave like a closed port.
        let _ = client.set_zero_linger();
        return;
    };
    let mut resets = shared.resets.subscribe();
    let mut silences = shared.silences.subscribe();
    let port = server.local_addr().map_or(0, |address| address.port());
    shared.ports().insert(port);
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let end = {
        let (client_reads, client_writes) = client.split();
        let (server_reads, server_writes) = server.split();
        let up = pass(client_reads, server_writes, Direction::Up, &shared);
        let down = pass(server_reads, client_writes, Direction::Down, &shared);
        tokio::select! {
            end = up => end,
            end = down => end,
            _ = resets.changed() => End::Reset,
            how = silenced(&mut silences, port) => End::Silent(how),
        }
    };
    drop(resets);
    shared.ports().remove(&port);
    match end {
        End::Closed => {}
        End::Reset => {
            // RST instead of FIN, to both.
            let _ = (client.set_zero_linger(), server.set_zero_linger());
        }
        End::Silent(how) => discard(client, server, how).await,
    }
}

/// Waits until the connection from this port is silenced.
async fn silenced(silences: &mut watch::Receiver<(Silence, Option<u16>)>, port: u16) -> Silence {
    loop {
        // The sender lives as long as the proxy.
        let _ = silences.changed().await;
        let (how, one) = *silences.borrow_and_update();
        if one.is_none_or(|one| one == port) {
            return how;
        }
    }
}

/// Discards what the client sends until it disconnects.
async fn discard(mut client: TcpStream, server: TcpStream, how: Silence) {
    let mut sink = tokio::io::sink();
    if how == Silence::ServerHangs {
        let swallowed = tokio::io::copy(&mut client, &mut sink);
        if tokio::time::timeout(KEEPALIVE, swallowed).await.is_ok() {
            // The server does not see that the client closed either.
            tokio::time::sleep(KEEPALIVE).await;
            return;
        }
    }
    drop(server);
    let _ = tokio::io::copy(&mut client, &mut sink).await;
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// One side closed it.
    Closed,
    /// The proxy resets it.
    Reset,
    /// It stays open, silent.
    Silent(Silence),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// To the server.
    Up,
    /// To the client.
    Down,
}

/// Copies bytes until the connection ends.
async fn pass(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    direction: Direction,
    shared: &Shared,
) -> End {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await;
        // The end of a connection is delayed like everything else.
        shared.delay(direction).await;
        let Ok(count @ 1..) = read else {
            return End::Closed;
        };
        let allowed = match direction {
            Direction::Up => count,
            Direction::Down => shared.take(count),
        };
        if to.write_all(&buffer[..allowed]).await.is_err() {
            return End::Closed;
        }
        if allowed < count {
            return End::Reset;
        }
    }
}

impl Shared {
    fn ports(&self) -> MutexGuard<'_, BTreeSet<u16>> {
        self.ports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn delay(&self, direction: Direction) {
        loop {
            let blocked = match Link::from_code(self.link.load(Ordering::SeqCst)) {
                Link::Good => return,
                Link::Slow => {
                    let jitter = self
                        .random
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .random_range(20..200);
                    return tokio::time::sleep(Duration::from_millis(jitter)).await;
                }
                Link::Mute => direction == Direction::Up,
                Link::Deaf => direction == Direction::Down,
                Link::Cut => true,
            };
            if !blocked {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// How many of these bytes may pass before the cut.
    fn take(&self, count: usize) -> usize {
        let left = self.left.load(Ordering::SeqCst);
        if left == usize::MAX {
            return count;
        }
        if left <= count {
            self.left.store(usize::MAX, Ordering::SeqCst);
            self.cuts.fetch_add(1, Ordering::SeqCst);
            return left.min(count.saturating_sub(1));
        }
        self.left.store(left - count, Ordering::SeqCst);
        count
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    /// Starts a proxy for a server that says `hello` and then waits.
    async fn before_a_server() -> Result<(Proxy, TcpStream)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let proxy = Proxy::start(listener.local_addr()?, 1).await?;
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((mut client, _)) = listener.accept().await {
                let _ = client.write_all(b"hello").await;
                held.push(client);
            }
        });
        let client = TcpStream::connect(("127.0.0.1", proxy.port())).await?;
        Ok((proxy, client))
    }

    #[tokio::test]
    async fn a_reset_is_a_reset_and_no_close() -> Result<()> {
        let (proxy, mut client) = before_a_server().await?;
        let mut greeting = [0; 5];
        client.read_exact(&mut greeting).await?;
        assert_eq!(proxy.ports().len(), 1);
        assert_eq!((&greeting, proxy.reset()), (b"hello", 1));
        let end = client.read(&mut greeting).await;
        let end = end.map_err(|error| error.kind());
        assert_eq!(end, Err(ErrorKind::ConnectionReset));
        Ok(())
    }

    #[tokio::test]
    async fn a_silent_connection_stays_open_and_a_new_one_works() -> Result<()> {
        let (proxy, mut client) = before_a_server().await?;
        let mut greeting = [0; 5];
        client.read_exact(&mut greeting).await?;
        assert_eq!(proxy.silence(Silence::ServerEnds), 1);
        let mut second = TcpStream::connect(("127.0.0.1", proxy.port())).await?;
        second.read_exact(&mut greeting).await?;
        client.write_all(b"anybody there?").await?;
        let end = client.try_read(&mut greeting).map_err(|error| error.kind());
        assert_eq!(end, Err(ErrorKind::WouldBlock));
        Ok(())
    }

    #[tokio::test]
    async fn a_reply_is_cut_in_its_middle() -> Result<()> {
        let (proxy, mut client) = before_a_server().await?;
        let mut greeting = [0; 5];
        client.read_exact(&mut greeting).await?;
        proxy.cut_after(2);
        let mut second = TcpStream::connect(("127.0.0.1", proxy.port())).await?;
        let end = second.read_exact(&mut greeting).await;
        let end = end.map_err(|error| error.kind());
        assert_eq!(end, Err(ErrorKind::ConnectionReset));
        assert_eq!(proxy.cuts(), 1);
        Ok(())
    }
}
