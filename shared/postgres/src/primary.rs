//! The host that takes writes, and what follows it.

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

/// What is done on a primary before anything goes there.
type Hook = Box<
    dyn for<'a> Fn(
            &'a mut PgConnection,
        ) -> Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'a>>
        + Send
        + Sync,
>;

/// One database on one or more hosts, and which of them takes writes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Primary(Arc<Inner>);

/// What a handle and the watch share.
pub(crate) struct Inner {
    pub(crate) list: HostList,
    state: Mutex<State>,
    moves: watch::Sender<u64>,
    /// Told of all that is new.
    news: watch::Sender<()>,
    followers: Mutex<Vec<Follower>>,
    hook: OnceLock<Hook>,
    watched: Once,
}

/// A pool, and how it connects but for the host.
struct Follower {
    pool: PgPool,
    options: PgConnectOptions,
}

/// Tells that connections go to another host from now on.
#[derive(Debug)]
pub struct Moves(watch::Receiver<u64>, Primary);

/// None of the hosts takes writes; says why of each.
#[derive(Debug, thiserror::Error)]
#[error("none of the hosts takes writes: {}", describe(.0))]
pub struct NoPrimary(pub Vec<(Host, Standing)>);

/// Lists of several hosts of this process: one watch each.
static LISTS: Mutex<Vec<(String, Weak<Inner>)>> = Mutex::new(Vec::new());

impl Primary {
    /// Of the database that this URL names. Everybody in this process who asks for the same list of hosts shares what is
    /// known of it.
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

    /// Does this over a session with a primary each time one is found, before anything else goes there. The first hook
    /// counts. With one host nothing is looked for, and so nothing done.
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

    /// The hosts, in the order in which they are named.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        self.0.list.hosts()
    }

    /// Whether there is nothing to choose from.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.hosts().len() == 1
    }

    /// How to connect to the primary, as far as it is known.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        self.aim(self.0.list.options().clone())
    }

    /// A pool that connects with `options`, to the primary. It follows it from one host to another. The caller's hooks
    /// drop what was opened before a move ([`is_left_behind`](Self::is_left_behind)), and refuse what does not take writes
    /// ([`admit`](Self::admit)).
    ///
    /// With several hosts it is kept until it is closed. Must be called inside a runtime.
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

    /// A connection of one's own with `options`, to the primary.
    ///
    /// # Errors
    ///
    /// Those of connecting; an I/O error if the server turns out to be a standby.
    pub async fn connect(&self, options: PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
        self.watch();
        let mut conn = self.aim(options).connect().await?;
        self.admit(&mut conn).await?;
        Ok(conn)
    }

    /// Refuses a connection whose server is a standby. With one host it is not asked.
    ///
    /// # Errors
    ///
    /// An I/O error that says so.
    pub async fn admit(&self, conn: impl PgExecutor<'_>) -> Result<(), sqlx::Error> {
        match self.is_alone() {
            true => Ok(()),
            false => admit(conn).await,
        }
    }

    /// These options with the primary's address.
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

    /// Tells of moves from now on.
    #[must_use]
    pub fn moves(&self) -> Moves {
        Moves(self.0.moves.subscribe(), self.clone())
    }

    /// Whether a connection of this age was opened before the last move.
    #[must_use]
    pub fn is_left_behind(&self, age: Duration) -> bool {
        !self.is_alone() && self.0.state().is_left_behind(age, Instant::now())
    }

    /// Waits until a primary is known, or each host was asked in vain. With one host, not at all.
    ///
    /// # Errors
    ///
    /// [`NoPrimary`], after `patience` at the latest.
    pub async fn found(&self, patience: Duration) -> Result<(), NoPrimary> {
        if self.is_alone() {
            return Ok(());
        }
        let known = |state: &State| state.has_primary() || state.is_hopeless();
        let _ = tokio::time::timeout(patience, self.until(known)).await;
        // Not in the match: its guard would be held while the standings are read.
        let found = self.0.state().has_primary();
        match found {
            true => Ok(()),
            false => Err(NoPrimary(self.standings())),
        }
    }

    /// Standing of each host, once all have been asked. A single host is not asked.
    pub async fn asked(&self) -> Vec<(Host, Standing)> {
        if !self.is_alone() {
            self.until(State::is_asked).await;
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

    /// How each host stands, as far as is known.
    #[must_use]
    pub fn standings(&self) -> Vec<(Host, Standing)> {
        self.0.standings()
    }

    /// Starts the watch, once. Without a thread connections go to the first host, as with a list of one.
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
    /// Whether connections go to another host than when this was asked or awaited last.
    pub fn has_moved(&mut self) -> bool {
        let moved = self.0.has_changed().unwrap_or(false);
        self.0.mark_unchanged();
        moved
    }

    /// Resolves when connections go to another host than at the last call; never with one host.
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

    /// Sends all that follows to this host.
    pub(crate) fn adopt(&self, host: usize, now: Instant) {
        // Held for as long as it takes: a pool that is made meanwhile has the new address or waits to be told.
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

/// A standby's sessions stay when it is promoted, but who knows when that is. Sessions that are read-only by choice are welcome.
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

/// Each host and how it stands.
pub(crate) fn describe(standings: &[(Host, Standing)]) -> String {
    let each = standings
        .iter()
        .map(|(host, standing)| format!("{host}: {standing}"));
    each.collect::<Vec<_>>().join("; ")
}
