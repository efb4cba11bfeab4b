//! A server that follows the primary, used for reading.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Executor as _, PgExecutor, Row as _};
use tokio::sync::watch;

use crate::lag::Lag;
use crate::lsn::Lsn;
use crate::standing::{PATIENCE, reason};
use crate::{Error, Host, HostList, Primary};

/// Time between two checks of the replica and its primary.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time between two checks of the replayed position while waiting for it.
const AGAIN: Duration = Duration::from_millis(5);
/// If a replica lags by more than this, reads don't wait for it.
const FAR_BEHIND: Duration = Duration::from_secs(1);

/// Name of the watch's sessions in `pg_stat_activity`.
const NAME: &str = "tarsy replica watch";

/// Query for the primary. The cluster number is the same on each server of a cluster.
const WRITTEN: &str = "select pg_current_wal_insert_lsn()::text as lsn,
    (select system_identifier::text from pg_control_system()) as cluster";

const REPLAYED: &str = "select pg_is_in_recovery()::text as in_recovery,
    pg_last_wal_replay_lsn()::text as lsn,
    extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::text as age,
    (select system_identifier::text from pg_control_system()) as cluster";

/// A streaming standby from which history is read, with its lag. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Replica(Arc<Inner>);

struct Inner {
    options: PgConnectOptions,
    primary: Primary,
    state: Mutex<State>,
    news: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    lag: Lag,
    /// Lag as reported by the replica. Used until the replica has replayed everything that was written before the
    /// watch began.
    reported_lag: Option<Duration>,
    trouble: Option<Trouble>,
    checked: bool,
}

/// Reason why a replica can't be read from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It was not checked yet.
    #[error("not asked yet")]
    Unknown,
    /// It can't be reached or refuses connections, for this reason.
    #[error("can't be reached: {0}")]
    Away(String),
    /// It is not a standby: it was promoted, or is the primary itself.
    #[error("is not a standby")]
    NotAStandby,
    /// It does not report what it has replayed.
    #[error("does not report what it has replayed")]
    Mute,
    /// It belongs to another cluster.
    #[error("is a standby of another cluster")]
    Foreign,
}

/// State of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaStanding {
    /// Reason why it can't be read from, if any.
    pub trouble: Option<Trouble>,
    /// How long there has been something that it has not replayed.
    pub lag: Duration,
    /// Bytes of the log that it has not replayed; `None` until it was checked.
    pub lag_bytes: Option<u64>,
}

/// Reason why a read must go to the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The replica can't be read from.
    Away,
    /// The replica has not replayed what the primary has written.
    Behind,
}

impl Replica {
    /// Opens the server of this URL, which follows `primary`.
    ///
    /// # Errors
    ///
    /// [`Error`]; [`Error::OneHost`] if the URL names several hosts.
    pub fn from_url(url: &str, primary: Primary) -> Result<Self, Error> {
        let list: HostList = url.parse()?;
        if list.hosts().len() > 1 {
            return Err(Error::OneHost);
        }
        Ok(Self(Arc::new(Inner {
            options: list.options().clone(),
            primary,
            state: Mutex::default(),
            news: watch::Sender::new(()),
        })))
    }

    /// Returns the options to connect to the replica.
    #[must_use]
    pub fn options(&self) -> &PgConnectOptions {
        &self.0.options
    }

    /// Returns the state of the replica, as far as it is known.
    #[must_use]
    pub fn standing(&self) -> ReplicaStanding {
        let state = self.0.state();
        let trouble = state.trouble.clone();
        let since = state.lag.time(Instant::now());
        ReplicaStanding {
            trouble: match state.checked {
                true => trouble,
                false => Some(Trouble::Unknown),
            },
            lag: state
                .reported_lag
                .map_or(since, |reported_lag| reported_lag.max(since)),
            lag_bytes: state.lag.bytes(),
        }
    }

    /// Checks whether the replica can be read from and does not lag far behind.
    ///
    /// # Errors
    ///
    /// [`Unfit`].
    pub fn is_fit(&self) -> Result<(), Unfit> {
        let standing = self.standing();
        match standing.trouble {
            Some(_) => Err(Unfit::Away),
            None if standing.lag > FAR_BEHIND => Err(Unfit::Behind),
            None => Ok(()),
        }
    }

    /// Resolves once the replica can't be read from. A large lag does not count.
    pub async fn lost(&self) {
        let mut news = self.0.news.subscribe();
        while self.standing().trouble.is_none() {
            if news.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Checks the replica and its primary twice a second. Never returns.
    pub async fn watch(&self) {
        let (mut replica_session, mut primary_session) = (Session::default(), Session::default());
        loop {
            self.measure_lag(&mut primary_session, &mut replica_session)
                .await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Checks the replica until it has replayed what the primary had written at the first check, at most three times.
    /// Returns its state.
    pub async fn checked_standing(&self) -> ReplicaStanding {
        let (mut replica_session, mut primary_session) = (Session::default(), Session::default());
        for _ in 0..3 {
            self.measure_lag(&mut primary_session, &mut replica_session)
                .await;
            if !self.0.state().lag.is_older_than_the_watch() {
                break;
            }
            tokio::time::sleep(INTERVAL).await;
        }
        self.standing()
    }

    /// Queries the primary first, so that the replica's position is compared with an earlier position of the primary.
    async fn measure_lag(&self, primary_session: &mut Session, replica_session: &mut Session) {
        let primary = &self.0.primary;
        if primary_session
            .opened
            .is_some_and(|at| primary.predates_move(at.elapsed()))
        {
            *primary_session = Session::default();
            // Positions of the former primary mean nothing on the new one.
            self.0.state().lag = Lag::default();
        }
        let written = primary_session
            .ask(primary.options(), WRITTEN, written)
            .await;
        let options = self.0.options.clone();
        let replayed = replica_session.ask(options, REPLAYED, replayed).await;
        self.note(written.ok(), replayed);
    }

    fn note(&self, written: Option<Written>, replayed: Result<Replayed, Trouble>) {
        let mut state = self.0.state();
        if let Some(written) = &written {
            state.lag.wrote(written.lsn, Instant::now());
        }
        let trouble = match replayed {
            Ok(replayed) => {
                state.lag.replayed(replayed.lsn);
                state.reported_lag = replayed.age.filter(|_| state.lag.is_older_than_the_watch());
                written
                    .filter(|written| written.cluster != replayed.cluster)
                    .map(|_| Trouble::Foreign)
            }
            Err(trouble) => Some(trouble),
        };
        let is_news = !state.checked || state.trouble != trouble;
        (state.trouble, state.checked) = (trouble.clone(), true);
        drop(state);
        if !is_news {
            return;
        }
        match trouble {
            Some(trouble) => {
                tracing::warn!(host = %self.host(), %trouble, "history is read from the primary: the replica can't be read from");
            }
            None => tracing::info!(host = %self.host(), "history is read from the replica"),
        }
        self.0.news.send_replace(());
    }

    fn host(&self) -> Host {
        Host::from_options(&self.0.options)
    }

    /// Waits until the replica connected over `conn` has replayed everything up to `lsn`, for at most `patience`.
    ///
    /// # Errors
    ///
    /// [`Unfit::Behind`] if the time is up, [`Unfit::Away`] if it does not respond.
    pub async fn reach(conn: &mut PgConnection, lsn: Lsn, patience: Duration) -> Result<(), Unfit> {
        let longest = Instant::now() + patience;
        loop {
            let result = conn
                .fetch_one("select pg_last_wal_replay_lsn()::text")
                .await;
            let row = result.map_err(|_| Unfit::Away)?;
            let replayed = row.try_get::<Option<String>, _>(0).ok().flatten();
            let replayed = replayed.and_then(|text| Lsn::parse(&text));
            match replayed {
                Some(replayed) if replayed >= lsn => return Ok(()),
                Some(_) if Instant::now() < longest => tokio::time::sleep(AGAIN).await,
                _ => return Err(Unfit::Behind),
            }
        }
    }
}

impl Lsn {
    /// Returns the end of what a primary has written, committed or not.
    ///
    /// # Errors
    ///
    /// Those of the statement.
    pub async fn written(conn: impl PgExecutor<'_>) -> Result<Self, sqlx::Error> {
        let row = conn
            .fetch_one("select pg_current_wal_insert_lsn()::text")
            .await?;
        let text: String = row.try_get(0)?;
        let lsn =
            Self::parse(&text).ok_or_else(|| sqlx::Error::Protocol(format!("no LSN: {text}")))?;
        Ok(lsn.end_of_last_record())
    }
}

/// Answer of the primary.
struct Written {
    lsn: Lsn,
    cluster: Option<String>,
}

/// Answer of the replica.
struct Replayed {
    lsn: Lsn,
    age: Option<Duration>,
    cluster: Option<String>,
}

fn written(row: &sqlx::postgres::PgRow) -> Result<Written, Trouble> {
    let lsn = text(row, "lsn").and_then(|text| Lsn::parse(&text));
    Ok(Written {
        lsn: lsn.ok_or(Trouble::Mute)?.end_of_last_record(),
        cluster: text(row, "cluster"),
    })
}

fn replayed(row: &sqlx::postgres::PgRow) -> Result<Replayed, Trouble> {
    if text(row, "in_recovery").as_deref() != Some("true") {
        return Err(Trouble::NotAStandby);
    }
    let lsn = text(row, "lsn").and_then(|text| Lsn::parse(&text));
    let age = text(row, "age").and_then(|seconds| seconds.parse().ok());
    Ok(Replayed {
        lsn: lsn.ok_or(Trouble::Mute)?,
        age: age.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        cluster: text(row, "cluster"),
    })
}

fn text(row: &sqlx::postgres::PgRow, name: &str) -> Option<String> {
    row.try_get(name).ok().flatten()
}

/// A session of the watch. It is reopened after an error.
#[derive(Default)]
struct Session {
    conn: Option<PgConnection>,
    opened: Option<Instant>,
}

impl Session {
    async fn ask<T>(
        &mut self,
        options: PgConnectOptions,
        question: &'static str,
        read: impl Fn(&sqlx::postgres::PgRow) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let conn = self.conn.take();
        let asking = async {
            let mut conn = match conn {
                Some(conn) => conn,
                None => {
                    self.opened = Some(Instant::now());
                    options.application_name(NAME).connect().await?
                }
            };
            let row = conn.fetch_one(question).await?;
            Ok::<_, sqlx::Error>((conn, row))
        };
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok((conn, row))) => {
                self.conn = Some(conn);
                read(&row)
            }
            Ok(Err(error)) => Err(Trouble::Away(reason(&error))),
            Err(_) => Err(Trouble::Away(format!(
                "no answer within {} s",
                PATIENCE.as_secs()
            ))),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = Host::from_options(&self.options).to_string();
        f.debug_struct("Replica").field("host", &host).finish()
    }
}
