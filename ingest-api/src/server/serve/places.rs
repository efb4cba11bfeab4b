//! Places for connections: their number, their holders, and which connections are closed to make room.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tarsy_config::settings::ConnectionSettings;
use tokio::sync::Notify;

/// When there is no room, 1 in this many idle connections is closed, and at least one.
const ONE_IN: usize = 64;

/// Places for connections. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    most: usize,
    most_of_one: usize,
    settings: ConnectionSettings,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    taken: HashMap<u64, Arc<Slot>>,
    of_one: HashMap<IpAddr, usize>,
}

/// A connection's place. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    places: Places,
    number: u64,
    slot: Arc<Slot>,
}

/// State of a connection.
#[derive(Debug)]
pub(super) struct Slot {
    /// Address whose limit the connection counts towards; `None` for a trusted proxy.
    holder: Option<IpAddr>,
    opened: Instant,
    requests: AtomicU64,
    under_way: AtomicUsize,
    /// Time at which it last became idle, in microseconds since `opened`.
    waits_since_us: AtomicU64,
    leave: Notify,
}

/// Guard of a request that is being answered, until its response is sent.
#[derive(Debug)]
pub(super) struct Busy(Arc<Slot>);

impl Places {
    /// Creates as many places as configured, but not more than the limit of open files allows.
    /// Other parts of the process (database, web) need files too.
    pub(super) fn new(settings: &ConnectionSettings, files: usize) -> Self {
        let most = settings.most.min(files / 4 * 3).max(1);
        if most < settings.most {
            tracing::warn!(
                connections = most,
                files,
                "fewer connections than TARSY_MAX_CONNECTIONS: the limit of open files (ulimit -n) is low"
            );
        }
        Self(Arc::new(Shared {
            most,
            most_of_one: settings.most_of_one.min(most.div_ceil(2)),
            settings: settings.clone(),
            inner: Mutex::default(),
        }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a connection of `address`. Closes idle connections if there is no room.
    /// Returns `None` if none is idle.
    pub(super) fn take(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        let is_proxy = self.0.settings.is_trusted_proxy(address);
        let holder = (!is_proxy).then(|| share_of(address));
        let mut inner = self.inner();
        if let Some(holder) = holder
            && inner.of_one.get(&holder).copied().unwrap_or(0) >= self.0.most_of_one
            && !inner.dismiss(|slot| slot.holder == Some(holder))
        {
            return None;
        }
        if inner.taken.len() >= self.0.most && !inner.dismiss(|_| true) {
            return None;
        }
        if let Some(holder) = holder {
            *inner.of_one.entry(holder).or_default() += 1;
        }
        let number = inner.next;
        inner.next += 1;
        let slot = Arc::new(Slot::new(holder));
        inner.taken.insert(number, Arc::clone(&slot));
        drop(inner);
        Some(ConnectionPermit {
            places: self.clone(),
            number,
            slot,
        })
    }

    /// Closes some idle connections.
    pub(super) fn make_room(&self) {
        self.inner().dismiss(|_| true);
    }
}

/// Returns the key under which an address is limited. For IPv6 it is the /64 network, because a
/// client usually has all of it.
fn share_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

impl Inner {
    /// Asks some of the idle connections that `among` selects to close. Those that never sent a
    /// request go first, then those that have been idle longest. Returns whether there is room now.
    fn dismiss(&mut self, among: impl Fn(&Slot) -> bool) -> bool {
        let mut waiting: Vec<(bool, Instant, u64)> = self
            .taken
            .iter()
            .filter(|(_, slot)| among(slot) && !slot.is_busy())
            .map(|(number, slot)| (slot.requests() > 0, slot.waits_since(), *number))
            .collect();
        let go = waiting.len().div_ceil(ONE_IN);
        if go == 0 {
            return false;
        }
        if go < waiting.len() {
            waiting.select_nth_unstable(go - 1);
        }
        for (_, _, number) in waiting.into_iter().take(go) {
            if let Some(slot) = self.free(number) {
                slot.leave.notify_one();
            }
        }
        true
    }

    fn free(&mut self, number: u64) -> Option<Arc<Slot>> {
        let slot = self.taken.remove(&number)?;
        if let Some(holder) = slot.holder
            && let Some(count) = self.of_one.get_mut(&holder)
        {
            *count -= 1;
            if *count == 0 {
                self.of_one.remove(&holder);
            }
        }
        Some(slot)
    }
}

impl ConnectionPermit {
    pub(super) fn slot(&self) -> &Arc<Slot> {
        &self.slot
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.places.inner().free(self.number);
    }
}

impl Slot {
    fn new(holder: Option<IpAddr>) -> Self {
        Self {
            holder,
            opened: Instant::now(),
            requests: AtomicU64::new(0),
            under_way: AtomicUsize::new(0),
            waits_since_us: AtomicU64::new(0),
            leave: Notify::new(),
        }
    }

    /// Counts a request that begins.
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.under_way.fetch_add(1, Ordering::AcqRel);
        Busy(Arc::clone(self))
    }

    /// Number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Whether a request is being answered.
    pub(super) fn is_busy(&self) -> bool {
        self.under_way.load(Ordering::Acquire) > 0
    }

    /// Time since which it has been idle, if it is idle.
    pub(super) fn waits_since(&self) -> Instant {
        self.opened + Duration::from_micros(self.waits_since_us.load(Ordering::Relaxed))
    }

    /// Waits until another connection needs the place.
    pub(super) async fn place_needed(&self) {
        self.leave.notified().await;
    }
}

impl Busy {
    /// Marks the connection as busy for the rest of its life, because it became a WebSocket.
    pub(super) fn keep_busy(&self) {
        self.0.under_way.fetch_add(1, Ordering::AcqRel);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let since = u64::try_from(self.0.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.waits_since_us.store(since, Ordering::Relaxed);
        self.0.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}
