//! Builds workers.

use std::time::Duration;

use tarsy_postgres::Primary;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::claim::SHARED_CRASHES;
use crate::worker::job::Handler;
use crate::worker::lease_times::LeaseTimes;
use crate::worker::service::AnyHandler;
use crate::worker::{Advertised, Worker, run};
use crate::{Connections, Error, Waker};

/// Workers that a job may end: two next to other jobs, two alone.
const DEFAULT_MAX_CRASHES: u32 = 4;

/// How a worker works; see [`WorkerBuilder`] for the meaning of each field.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) role: String,
    pub(crate) host: String,
    pub(crate) version: String,
    pub(crate) queues: Vec<String>,
    pub(crate) advertised: watch::Receiver<Advertised>,
    pub(crate) slots: usize,
    pub(crate) lease: LeaseTimes,
    pub(crate) poll: Duration,
    pub(crate) grace: Duration,
    pub(crate) stop_time: Duration,
    pub(crate) timeout: Option<Duration>,
    /// Crashes alone after which a job is not run again.
    pub(crate) lone_crashes: i32,
}

/// Configures a [`Worker`].
#[derive(Debug, Clone)]
pub struct WorkerBuilder {
    pub(crate) connections: Connections,
    pub(crate) direct_url: String,
    pub(crate) waker: Option<Waker>,
    pub(crate) hurry: CancellationToken,
    pub(crate) settings: Settings,
}

impl Settings {
    /// Whether jobs that require this may run here.
    pub(crate) fn offers(&self, requires: &[String]) -> bool {
        self.advertised.borrow().meets(requires)
    }
}

impl WorkerBuilder {
    pub(crate) fn new(connections: Connections, direct_url: &str) -> Self {
        Self {
            connections,
            direct_url: direct_url.to_owned(),
            waker: None,
            hurry: CancellationToken::new(),
            settings: Settings {
                role: "worker".to_owned(),
                host: hostname(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                queues: Vec::new(),
                advertised: Advertised::default().fixed(),
                slots: 1,
                lease: LeaseTimes::new(Duration::from_secs(10)),
                poll: Duration::from_millis(250),
                grace: Duration::from_secs(30),
                stop_time: Duration::from_secs(5),
                timeout: None,
                lone_crashes: lone_crashes(DEFAULT_MAX_CRASHES),
            },
        }
    }

    /// What kind of worker it is, as operators see it. Default `worker`.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.settings.role = role.into();
        self
    }

    /// The program's version, as operators see it. Default: this crate's.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// The queues to claim from.
    #[must_use]
    pub fn queues(mut self, queues: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.queues = queues.into_iter().map(Into::into).collect();
        self
    }

    /// What jobs may require of it ([`NewJob::requires`](crate::NewJob::requires)); others are left to
    /// other workers. Default `None`: everything.
    #[must_use]
    pub fn offers(self, offers: Option<Vec<String>>) -> Self {
        let advertised = Advertised {
            offers,
            ..Advertised::default()
        };
        self.advertised(advertised.fixed())
    }

    /// What it offers, and the configuration that it runs; both may change while it runs. Takes the place of
    /// [`offers`](Self::offers).
    #[must_use]
    pub fn advertised(mut self, advertised: watch::Receiver<Advertised>) -> Self {
        self.settings.advertised = advertised;
        self
    }

    /// How many jobs run at the same time; never more are claimed. Default 1.
    #[must_use]
    pub fn slots(mut self, slots: usize) -> Self {
        self.settings.slots = slots.max(1);
        self
    }

    /// Longest silence of Postgres that costs the worker nothing; default 10 s. Claims are renewed at a sixth of it. A
    /// worker that can't renew them stops its work a quarter of it later; after a third more others take over, as they do
    /// from a frozen worker.
    #[must_use]
    pub fn lease_ttl(mut self, ttl: Duration) -> Self {
        self.settings.lease = LeaseTimes::new(ttl.max(Duration::from_millis(60)));
        self
    }

    /// Longest time between two looks for work when nobody wakes the worker; default 250
    /// ms, jittered down to 40 % of it.
    #[must_use]
    pub fn poll(mut self, poll: Duration) -> Self {
        self.settings.poll = poll;
        self
    }

    /// How long running jobs may go on after a stop; default 30 s. Then they are asked to
    /// stop, and given back.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// How long a handler may take to stop once asked, at the end of the grace period;
    /// default 5 s. Then it is dropped.
    #[must_use]
    pub fn stop_time(mut self, time: Duration) -> Self {
        self.settings.stop_time = time;
        self
    }

    /// Longest run of a handler; it is dropped then and its job fails. Default: none, for
    /// handlers that watch their own deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How many workers a job may end before [`Job::is_poison`](crate::Job::is_poison) says so; default 4, and 3 at
    /// least. The first two may have had other reasons; the others count only if it ran alone.
    #[must_use]
    pub fn max_crashes(mut self, most: u32) -> Self {
        self.settings.lone_crashes = lone_crashes(most);
        self
    }

    /// Share the process's waker, so that jobs queued here wake this worker without a way
    /// through Postgres. Default: one of its own.
    #[must_use]
    pub fn waker(mut self, waker: Waker) -> Self {
        self.waker = Some(waker);
        self
    }

    /// Fires to end the grace period early, e.g. on a second signal.
    #[must_use]
    pub fn hurry(mut self, hurry: CancellationToken) -> Self {
        self.hurry = hurry;
        self
    }

    /// The worker, ready to run `handler`.
    ///
    /// # Errors
    ///
    /// [`Error::DirectUrl`].
    pub fn handler(self, handler: impl Handler) -> Result<Worker, Error> {
        let direct = Primary::from_url(&self.direct_url).map_err(Error::DirectUrl)?;
        Ok(Worker {
            direct,
            config: self,
            handler: AnyHandler::new(handler),
        })
    }
}

impl Worker {
    /// Work until `stop` fires, then drain: claim no more, give back what has not started,
    /// let the rest finish within the grace period, ask what is left to stop and give it
    /// back. Nothing of that counts against a job, and nothing waits for a lease to expire.
    ///
    /// Trouble with Postgres, panicking handlers and jobs nobody understands never end it.
    ///
    /// # Errors
    ///
    /// [`Error::Thread`] when there is no thread for the lease.
    pub async fn run(self, stop: CancellationToken) -> Result<(), Error> {
        run::run(self, stop).await
    }
}

/// Crashes that are allowed while the job runs alone: all allowed ones without those next to other jobs.
fn lone_crashes(most: u32) -> i32 {
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    most.saturating_sub(SHARED_CRASHES).max(1)
}

fn hostname() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname");
    named.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}
