//! Finds the host that accepts writes, and makes connections follow it.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, PgExecutor, Row as _};
use tokio::sync::watch;

use crate::standing::Standing;
use crate::state::State;
use crate::{Error, Host, HostList};

/// A hook that runs on a newly found primary before anything else uses it.
type Hook = Box<
    dyn for<'a> Fn(
            &'a mut PgConnection,
        ) -> Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'a>>
        + Send
        + Sync,
>;

/// One database on one or more hosts, and the knowledge which of them accepts writes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Primary(Arc<Inner>);

/// State shared by the handles and the watch thread.
pub(crate) struct Inner {
    pub(crate) list: HostList,
    state: Mutex<State>,
    moves: watch::Sender<u64>,
    /// Notifies of every change of the state.
    news: watch::Sender<()>,
    followers: Mutex<Vec<Follower>>,
    hook: OnceLock<Hook>,
    watched: Once,
}

/// A pool that follows the primary, and its options except for the host.
struct Follower {
    pool: PgPool,
    options: PgConnectOptions,
}

/// Receiver that is notified when connections go to another host.
#[derive(Debug)]
pub struct Moves(watch::Receiver<u64>, Primary);

/// Error: none of the hosts accepts writes. Holds the standing of each.
#[derive(Debug, thiserror::Error)]
#[error("none of the hosts takes writes: {}", describe(.0))]
pub struct NoPrimary(pub Vec<(Host, Standing)>);

/// Host lists of this process with several hosts. Each has one watch thread.
static LISTS: Mutex<Vec<(String, Weak<Inner>)>> = Mutex::new(Vec::new());

impl Primary {
    /// Opens the database of this URL. All callers in this process with the same URL share the state of its hosts.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let list: HostList = url.parse()?;
        if list.hosts().len() == 1 {
            return Ok(Self::new(list));
        }
        let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|(_, known)| known.strong_count() > 0);
        let known = lists
            .iter()
            .find(|(known, _)| known == url)
            .and_then(|(_, inner)| inner.upgrade());
        if let Some(inner) = known {
            return Ok(Self(inner));
        }
        let made = Self::new(list);
        lists.push((url.to_owned(), Arc::downgrade(&made.0)));
        Ok(made)
    }

    fn new(list: HostList) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State::new(list.hosts().len())),
            list,
            moves: watch::Sender::new(0),
            news: watch::Sender::new(()),
            followers: Mutex::default(),
            hook: OnceLock::new(),
            watched: Once::new(),
        }))
    }

    /// Sets a hook that runs in a session with a primary each time one is found, before anything else uses it. Only
    /// the first hook counts. With one host there is no search, so the hook never runs.
    #[must_use]
    pub fn on_found(
        self,
        hook: impl for<'a> Fn(
            &'a mut PgConnection,
        )
            -> Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'a>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let _ = self.0.hook.set(Box::new(hook));
        self
    }

    /// Returns the hosts, in the order of the URL.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        self.0.list.hosts()
    }

    /// Returns whether there is only one host.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.hosts().len() == 1
    }

    /// Returns the options to connect to the primary, as far as it is known.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        self.aim(self.0.list.options().clone())
    }

    /// Creates a pool that connects to the primary with `options` and follows it from host to host. The hooks of the
    /// caller's pool options must drop connections that were opened before a move
    /// ([`predates_move`](Self::predates_move)), and refuse servers that accept no writes ([`admit`](Self::admit)).
    ///
    /// With several hosts, the pool is referenced here until it is closed. Must be called inside a runtime.
    #[must_use]
    pub fn pool(&self, pool: PgPoolOptions, options: PgConnectOptions) -> PgPool {
        if self.is_alone() {
            return pool.connect_lazy_with(options);
        }
        self.watch();
        let mut followers = self.0.followers();
        let pool = pool.connect_lazy_with(self.aim(options.clone()));
        followers.retain(|follower| !follower.pool.is_closed());
        followers.push(Follower {
            pool: pool.clone(),
            options,
        });
        pool
    }

    /// Opens a separate connection to the primary with `options`.
    ///
    /// # Errors
    ///
    /// Those of connecting; an I/O error if the server is a standby.
    pub async fn connect(&self, options: PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
        self.watch();
        let mut conn = self.aim(options).connect().await?;
        self.admit(&mut conn).await?;
        Ok(conn)
    }

    /// Refuses a connection to a standby. With one host the server is not checked.
    ///
    /// # Errors
    ///
    /// An I/O error if the server is a standby.
    pub async fn admit(&self, conn: impl PgExecutor<'_>) -> Result<(), sqlx::Error> {
        match self.is_alone() {
            true => Ok(()),
            false => admit(conn).await,
        }
    }

    /// Returns these options with the primary's address.
    #[must_use]
    pub fn aim(&self, options: PgConnectOptions) -> PgConnectOptions {
        if self.is_alone() {
            return options;
        }
        self.watch();
        let current = self.0.state().current();
        match self.hosts().get(current) {
            Some(host) => host.aim(options),
            None => options,
        }
    }

    /// Returns a receiver for moves from now on.
    #[must_use]
    pub fn moves(&self) -> Moves {
        Moves(self.0.moves.subscribe(), self.clone())
    }

    /// Returns whether a connection of this age was opened before the last move.
    #[must_use]
    pub fn predates_move(&self, age: Duration) -> bool {
        !self.is_alone() && self.0.state().predates_move(age, Instant::now())
    }

    /// Waits until a primary is known, or until each host was checked without finding one. With one host it returns at
    /// once.
    ///
    /// # Errors
    ///
    /// [`NoPrimary`], at the latest after `patience`.
    pub async fn wait_until_known(&self, patience: Duration) -> Result<(), NoPrimary> {
        if self.is_alone() {
            return Ok(());
        }
        let known = |state: &State| state.has_primary() || state.is_hopeless();
        let _ = tokio::time::timeout(patience, self.until(known)).await;
        // Not inside the match: the lock guard would be held while `standings` takes the lock.
        let is_known = self.0.state().has_primary();
        match is_known {
            true => Ok(()),
            false => Err(NoPrimary(self.standings())),
        }
    }

    /// Waits until all hosts were checked, and returns the standing of each. A single host is not checked.
    pub async fn checked_standings(&self) -> Vec<(Host, Standing)> {
        if !self.is_alone() {
            self.until(State::is_checked).await;
        }
        self.standings()
    }

    async fn until(&self, known: impl Fn(&State) -> bool) {
        self.watch();
        let mut news = self.0.news.subscribe();
        while !known(&self.0.state()) {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    /// Returns the standing of each host, as far as it is known.
    #[must_use]
    pub fn standings(&self) -> Vec<(Host, Standing)> {
        self.0.standings()
    }

    /// Starts the watch thread, once. If that fails, connections go to the first host, as with a single host.
    fn watch(&self) {
        if self.is_alone() {
            return;
        }
        self.0.watched.call_once(|| {
            if let Err(error) = crate::watch::start(&self.0) {
                tracing::error!(%error, "no thread for the watch over Postgres hosts");
            }
        });
    }
}

impl From<PgConnectOptions> for Primary {
    fn from(options: PgConnectOptions) -> Self {
        Self::new(options.into())
    }
}

impl Moves {
    /// Returns whether connections go to another host than at the last call of this or [`moved`](Self::moved).
    pub fn has_moved(&mut self) -> bool {
        let moved = self.0.has_changed().unwrap_or(false);
        self.0.mark_unchanged();
        moved
    }

    /// Resolves when connections go to another host than at the last call. Never resolves with one host.
    pub async fn moved(&mut self) {
        if self.1.is_alone() || self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn followers(&self) -> MutexGuard<'_, Vec<Follower>> {
        self.followers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn standings(&self) -> Vec<(Host, Standing)> {
        let state = self.state();
        let standings = state.standings().iter().cloned();
        self.list.hosts().iter().cloned().zip(standings).collect()
    }

    pub(crate) fn hook(&self) -> Option<&Hook> {
        self.hook.get()
    }

    pub(crate) fn notify_pools(&self) {
        self.news.send_replace(());
    }

    /// Sends all followers to this host.
    pub(crate) fn adopt(&self, host: usize, now: Instant) {
        // Locked throughout: a pool that is created meanwhile is either already in the list, or waits and then gets
        // the new address.
        let mut followers = self.followers();
        let moves = self.state().adopt(host, now);
        let Some(name) = self.list.hosts().get(host) else {
            return;
        };
        tracing::info!(host = %name, moves, "found the Postgres that takes writes");
        followers.retain(|follower| !follower.pool.is_closed());
        for follower in followers.iter() {
            let options = name.aim(follower.options.clone());
            follower.pool.set_connect_options(options);
        }
        drop(followers);
        if moves {
            self.moves.send_modify(|count| *count += 1);
        }
        self.notify_pools();
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.list.hosts().iter().map(Host::to_string).collect();
        f.debug_struct("Primary").field("hosts", &hosts).finish()
    }
}

/// Refuses a session with a standby. The session would survive a promotion, but it is unknown when that happens.
/// Sessions that are read-only by choice are accepted.
async fn admit(conn: impl PgExecutor<'_>) -> Result<(), sqlx::Error> {
    let row = conn.fetch_one("select pg_is_in_recovery()::text").await?;
    match row.try_get::<String, _>(0)?.as_str() {
        "false" => Ok(()),
        _ => {
            let refused = std::io::ErrorKind::ConnectionRefused;
            let error = std::io::Error::new(refused, "the server is a standby");
            Err(sqlx::Error::Io(error))
        }
    }
}

/// Formats each host with its standing.
pub(crate) fn describe(standings: &[(Host, Standing)]) -> String {
    let each = standings
        .iter()
        .map(|(host, standing)| format!("{host}: {standing}"));
    each.collect::<Vec<_>>().join("; ")
}
