//! In-memory cache of the live API keys and browser sessions.
//!
//! All of them are reloaded every 2 s, in two statements. So no request needs the database to
//! identify its caller, and a revoked key is refused within seconds. An unknown key may be new, so
//! its request waits for another reload. There are at most two of those a second.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use subtle::ConstantTimeEq as _;
use tarsy_failpoint::reached;
use tarsy_model::Role;
use tarsy_store::api_keys::LiveApiKey;
use tarsy_store::browser_sessions::LiveBrowserSession;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::key;
use crate::problem::{AuthError, Problem};
use crate::server::clock;

/// Maximum number of live keys of a fleet.
pub(crate) const MOST_KEYS: usize = 10_000;
/// Maximum number of cached browser sessions; the newest of the fleet are kept.
const MOST_SESSIONS: i64 = 20_000;
const INTERVAL: Duration = Duration::from_secs(2);
/// Minimum time between two reloads for unknown keys.
const AGAIN: Duration = Duration::from_millis(500);
/// Maximum age of the cache. An older one is not used, because a key may have been revoked since.
const BELIEVED: Duration = Duration::from_secs(10);
/// Timeout of reads and writes in the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two writes of when keys were last used.
const NOTED: Duration = Duration::from_secs(30);

/// Holder of an API key or a browser session.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    /// Id of the key or the session.
    pub(super) id: Uuid,
    /// The key, or the key that the session was opened with. `None` for a person who signed in at the identity provider.
    pub(super) key_id: Option<Uuid>,
    pub(super) name: String,
    pub(super) role: Role,
}

#[derive(Debug)]
struct Entry {
    holder: Holder,
    hash: [u8; 32],
    /// Time when a session ends, in Unix microseconds. Keys are no longer read after their end.
    expires_at_us: i64,
    /// Time of a key's last use in Unix microseconds; 0 if that is already recorded.
    used_at_us: AtomicI64,
}

#[derive(Debug, Default)]
struct Seen {
    /// Ids of keys by their prefixes.
    by_prefix: HashMap<String, Uuid>,
    by_id: HashMap<Uuid, Entry>,
    at: Option<Instant>,
}

impl Seen {
    /// Whether the cache is younger than [`BELIEVED`]. It is older if the database did not answer.
    fn is_fresh(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() <= BELIEVED)
    }

    fn live(&self, id: Uuid) -> Option<&Entry> {
        let entry = self.by_id.get(&id);
        entry.filter(|entry| entry.expires_at_us > clock::now_us())
    }
}

/// Cache of the live keys and browser sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Keyring(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: PgPool,
    seen: RwLock<Seen>,
    /// Start of the last reload. The lock allows one reload at a time.
    refreshed: tokio::sync::Mutex<Option<Instant>>,
}

impl Keyring {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self(Arc::new(Inner {
            pool,
            seen: RwLock::default(),
            refreshed: tokio::sync::Mutex::default(),
        }))
    }

    /// Returns the holder of a key, or `None` if the key is not valid. If the key is not cached,
    /// `may_query` decides whether it is looked up in the database.
    pub(super) async fn find(
        &self,
        key: &str,
        may_query: impl FnOnce() -> Result<(), Duration>,
    ) -> Result<Option<Holder>, Problem> {
        match key::prefix_of(key) {
            Some(prefix) => {
                let id = |seen: &Seen| seen.by_prefix.get(prefix).copied();
                self.checked(key, id, may_query).await
            }
            None => Ok(None),
        }
    }

    /// Returns the holder of a browser session, or `None` if the token is not valid. `may_query` as
    /// for [`Self::find`].
    pub(super) async fn find_session(
        &self,
        token: &str,
        may_query: impl FnOnce() -> Result<(), Duration>,
    ) -> Result<Option<Holder>, Problem> {
        match key::session_of(token) {
            Some(session_id) => self.checked(token, |_| Some(session_id), may_query).await,
            None => Ok(None),
        }
    }

    /// Returns the holder of a live credential with this id, if its hash is that of `secret`. Records the use of its
    /// key.
    async fn checked(
        &self,
        secret: &str,
        id: impl Fn(&Seen) -> Option<Uuid>,
        may_query: impl FnOnce() -> Result<(), Duration>,
    ) -> Result<Option<Holder>, Problem> {
        let is_known =
            |seen: &Seen| seen.is_fresh() && id(seen).is_some_and(|id| seen.live(id).is_some());
        if !is_known(&self.seen()) {
            may_query().map_err(AuthError::RateLimited)?;
            // Boxed, because otherwise the future of every request would reserve space for this rare case.
            Box::pin(self.refresh_after(AGAIN)).await;
        }
        let seen = self.seen();
        if !seen.is_fresh() {
            return Err(Problem::DatabaseAway);
        }
        let hash = key::hash(secret);
        let entry = id(&seen).and_then(|id| seen.live(id));
        let entry = entry.filter(|entry| entry.hash.ct_eq(&hash).into());
        let key = entry.and_then(|entry| seen.by_id.get(&entry.holder.key_id?));
        if let Some(key) = key {
            key.used_at_us.store(clock::now_us(), Ordering::Relaxed);
        }
        Ok(entry.map(|entry| entry.holder.clone()))
    }

    fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.0.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reloads the cache now, because a key was created or revoked here.
    pub(crate) async fn refresh(&self) {
        self.refresh_after(Duration::ZERO).await;
    }

    /// Reloads the cache regularly until `stop`, and records which keys are used.
    pub(crate) async fn run(&self, stop: &CancellationToken) {
        let mut noted = Instant::now();
        loop {
            self.refresh_after(Duration::ZERO).await;
            if noted.elapsed() >= NOTED {
                self.note_use().await;
                noted = Instant::now();
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
        self.note_use().await;
    }

    /// Reloads the cache, but no earlier than `pause` after the start of the last reload.
    async fn refresh_after(&self, pause: Duration) {
        let requested_at = Instant::now();
        let mut last = self.0.refreshed.lock().await;
        if let Some(begun) = *last {
            // Another request reloaded the cache while this one waited for the lock.
            if begun >= requested_at {
                return;
            }
            tokio::time::sleep(pause.saturating_sub(begun.elapsed())).await;
        }
        let begun = Instant::now();
        *last = Some(begun);
        let read = tokio::time::timeout(PATIENCE, self.read()).await;
        match read {
            Ok(Ok((keys, sessions))) => self.keep(keys, sessions, begun),
            Ok(Err(error)) => tracing::warn!(?error, "failed to read API keys"),
            Err(_) => tracing::warn!("timed out reading API keys"),
        }
    }

    async fn read(&self) -> Result<(Vec<LiveApiKey>, Vec<LiveBrowserSession>), tarsy_store::Error> {
        let mut conn = self.0.pool.acquire().await?;
        let most = i64::try_from(MOST_KEYS).unwrap_or(i64::MAX);
        let keys = tarsy_store::api_keys::live_api_keys(&mut conn, most).await?;
        let sessions =
            tarsy_store::browser_sessions::live_browser_sessions(&mut conn, MOST_SESSIONS).await?;
        Ok((keys, sessions))
    }

    fn keep(&self, keys: Vec<LiveApiKey>, sessions: Vec<LiveBrowserSession>, begun: Instant) {
        let mut seen = self.0.seen.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut seen.by_id);
        let prefixes = keys.iter().map(|key| (key.prefix.clone(), key.key_id));
        seen.by_prefix = prefixes.collect();
        let keys = keys.into_iter().filter_map(|key| {
            let used = before.get(&key.key_id);
            let used_at_us = used.map_or(0, |entry| entry.used_at_us.load(Ordering::Relaxed));
            Entry::from_key(key, used_at_us)
        });
        let sessions = sessions.into_iter().filter_map(Entry::from_session);
        let entries = keys.chain(sessions);
        seen.by_id = entries.map(|entry| (entry.holder.id, entry)).collect();
        seen.at = Some(begun);
    }

    async fn note_use(&self) {
        let used: Vec<_> = {
            let seen = self.seen();
            let times = seen.by_id.iter().map(|(id, entry)| {
                let at_us = entry.used_at_us.swap(0, Ordering::Relaxed);
                (*id, at_us)
            });
            times.filter(|(_, at_us)| *at_us > 0).collect()
        };
        if used.is_empty() {
            return;
        }
        let noting = async {
            let mut conn = self.0.pool.acquire().await?;
            reached("lone.note_key_use.before_commit");
            tarsy_store::api_keys::note_key_use(&mut conn, &used).await?;
            reached("lone.note_key_use.after_commit");
            Ok::<_, tarsy_store::Error>(())
        };
        if !matches!(tokio::time::timeout(PATIENCE, noting).await, Ok(Ok(()))) {
            tracing::warn!(keys = used.len(), "failed to record the last use of keys");
        }
    }
}

impl Entry {
    /// Returns `None` for a row of a newer version, because an unknown role must not grant access.
    fn from_key(key: LiveApiKey, used_at_us: i64) -> Option<Self> {
        Some(Self {
            hash: key.hash.try_into().ok()?,
            holder: Holder {
                id: key.key_id,
                key_id: Some(key.key_id),
                role: key.role.parse().ok()?,
                name: key.name,
            },
            expires_at_us: i64::MAX,
            used_at_us: AtomicI64::new(used_at_us),
        })
    }

    /// Returns `None` in the same cases as [`Self::from_key`].
    fn from_session(session: LiveBrowserSession) -> Option<Self> {
        Some(Self {
            hash: session.hash.try_into().ok()?,
            holder: Holder {
                id: session.browser_session_id,
                key_id: session.key_id,
                role: session.role.parse().ok()?,
                name: session.name,
            },
            expires_at_us: session.expires_at_us,
            used_at_us: AtomicI64::new(0),
        })
    }
}

/// Validity of the credential that an admitted caller used, for streams that stay open.
#[derive(Clone, Debug)]
pub(crate) struct CredentialLifetime(Option<(Keyring, Uuid)>);

impl CredentialLifetime {
    pub(crate) const fn lasting() -> Self {
        Self(None)
    }

    /// Creates a lifetime that lasts as long as the key or the browser session with this id.
    pub(super) const fn new(keyring: Keyring, id: Uuid) -> Self {
        Self(Some((keyring, id)))
    }

    /// Returns whether the credential is still valid, according to the cache, which is about 2 s old. While the
    /// database is unavailable, the last known state counts.
    pub(crate) fn is_valid(&self) -> bool {
        let credential = self.0.as_ref();
        credential.is_none_or(|(keyring, id)| keyring.seen().live(*id).is_some())
    }
}
