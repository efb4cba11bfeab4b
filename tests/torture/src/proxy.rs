//! A TCP proxy between one process and Postgres that can be slow, deaf, mute or rude.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the link does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Link {
    /// Pass everything on.
    Good,
    /// Each piece takes up to 200 ms, jittered.
    Slow,
    /// Nothing gets to the server; what it says still arrives.
    Mute,
    /// Nothing comes back from the server; what it is told still arrives.
    Deaf,
    /// Neither.
    Cut,
}

impl Link {
    pub(crate) const BAD: [Self; 4] = [Self::Slow, Self::Mute, Self::Deaf, Self::Cut];

    fn of(code: u8) -> Self {
        Self::BAD
            .into_iter()
            .find(|link| *link as u8 == code)
            .unwrap_or(Self::Good)
    }
}

/// A running proxy; ends with the runtime.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    link: AtomicU8,
    /// Bytes from the server after which connections are reset; `usize::MAX`: never.
    left: AtomicUsize,
    /// Rises when all connections are to be reset.
    resets: watch::Sender<u64>,
    random: Mutex<SmallRng>,
}

impl Proxy {
    /// A proxy on a free port before `target`.
    pub(crate) async fn start(target: SocketAddr, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .context("the proxy needs a port")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            link: AtomicU8::new(Link::Good as u8),
            left: AtomicUsize::new(usize::MAX),
            resets: watch::Sender::new(0),
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

    /// Reset every connection, now.
    pub(crate) fn reset(&self) {
        self.shared.resets.send_modify(|count| *count += 1);
    }

    /// Reset the connection over which the server sends that many more bytes: a reply is cut
    /// anywhere, also one that says that a transaction was committed.
    pub(crate) fn cut_after(&self, bytes: usize) {
        self.shared.left.store(bytes, Ordering::SeqCst);
    }
}

async fn serve(client: TcpStream, target: SocketAddr, shared: Arc<Shared>) {
    let mut resets = shared.resets.subscribe();
    let Ok(server) = TcpStream::connect(target).await else {
        // As a closed port would.
        let _ = client.set_zero_linger();
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    let up = pass(client_reads, server_writes, Direction::Up, &shared);
    let down = pass(server_reads, client_writes, Direction::Down, &shared);
    tokio::select! {
        () = up => {}
        () = down => {}
        _ = resets.changed() => {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// To the server.
    Up,
    /// To the client.
    Down,
}

/// Pass bytes on until the connection ends; dropping the halves with unread bytes resets it.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    direction: Direction,
    shared: &Shared,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        shared.delay(direction).await;
        let allowed = match direction {
            Direction::Up => count,
            Direction::Down => shared.take(count),
        };
        if to.write_all(&buffer[..allowed]).await.is_err() || allowed < count {
            return;
        }
    }
}

impl Shared {
    async fn delay(&self, direction: Direction) {
        loop {
            let blocked = match Link::of(self.link.load(Ordering::SeqCst)) {
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
            return left.min(count.saturating_sub(1));
        }
        self.left.store(left - count, Ordering::SeqCst);
        count
    }
}
