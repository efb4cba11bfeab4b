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

/// Number of workers that a job may crash: two while it runs next to other jobs, two while it runs alone.
const DEFAULT_MAX_CRASHES: u32 = 4;

/// Settings of a worker; see [`WorkerBuilder`] for the meaning of each field.
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
    /// Crashes while alone after which a job is not run again.
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
    /// Returns whether jobs with these requirements may run here.
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

    /// Sets the kind of worker, as operators see it. Default `worker`.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.settings.role = role.into();
        self
    }

    /// Sets the program's version, as operators see it. Default: the version of this crate.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// Sets the queues to claim from.
    #[must_use]
    pub fn queues(mut self, queues: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.queues = queues.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the names that jobs may require of this worker ([`NewJob::requires`](crate::NewJob::requires)). Jobs that
    /// require others are left to other workers. Default `None`: offers everything.
    #[must_use]
    pub fn offers(self, offers: Option<Vec<String>>) -> Self {
        let advertised = Advertised {
            offers,
            ..Advertised::default()
        };
        self.advertised(advertised.fixed())
    }

    /// Sets the names that the worker offers and the configuration that it runs. Both may change while it runs.
    /// Replaces [`offers`](Self::offers).
    #[must_use]
    pub fn advertised(mut self, advertised: watch::Receiver<Advertised>) -> Self {
        self.settings.advertised = advertised;
        self
    }

    /// Sets how many jobs run at the same time. The worker never claims more than that. Default 1.
    #[must_use]
    pub fn slots(mut self, slots: usize) -> Self {
        self.settings.slots = slots.max(1);
        self
    }

    /// Sets the longest outage of Postgres that costs the worker nothing. Default 10 s. Claims are renewed at a sixth
    /// of this time. If they were not renewed for 5/4 of it, the worker stops its work. After 4/3 of it, other workers
    /// take over, as they do from a frozen worker.
    #[must_use]
    pub fn lease_ttl(mut self, ttl: Duration) -> Self {
        self.settings.lease = LeaseTimes::new(ttl.max(Duration::from_millis(60)));
        self
    }

    /// Sets the longest time between two polls when no wake-up arrives. Default 250 ms, jittered down to 40 % of it.
    #[must_use]
    pub fn poll(mut self, poll: Duration) -> Self {
        self.settings.poll = poll;
        self
    }

    /// Sets how long running jobs may continue after a stop. Default 30 s. After that they are asked to stop, and
    /// released.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Sets how long a handler may take to stop when asked at the end of the grace period. Default 5 s. After that it
    /// is dropped.
    #[must_use]
    pub fn stop_time(mut self, time: Duration) -> Self {
        self.settings.stop_time = time;
        self
    }

    /// Sets the longest run of a handler. After that it is dropped and its job fails. Default: no limit, for handlers
    /// that have their own deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how many workers a job may crash before [`Job::is_poison`](crate::Job::is_poison) returns true. Default 4,
    /// at least 3. The first two crashes may have had other reasons; later ones count only if the job ran alone.
    #[must_use]
    pub fn max_crashes(mut self, most: u32) -> Self {
        self.settings.lone_crashes = lone_crashes(most);
        self
    }

    /// Shares the process's waker, so that jobs enqueued in this process wake this worker without a round trip through
    /// Postgres. Default: a new waker.
    #[must_use]
    pub fn waker(mut self, waker: Waker) -> Self {
        self.waker = Some(waker);
        self
    }

    /// Sets a token that ends the grace period early, e.g. on a second signal.
    #[must_use]
    pub fn hurry(mut self, hurry: CancellationToken) -> Self {
        self.hurry = hurry;
        self
    }

    /// Builds the worker, which will run `handler`.
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
    /// Runs until `stop` fires, then drains: claims no more jobs, releases those that have not started, and lets the
    /// others finish within the grace period. Then asks the remaining ones to stop, and releases them. This does not
    /// count against any job, and no job waits for a lease to expire.
    ///
    /// Errors of Postgres, panicking handlers and jobs that can't be decoded never end it.
    ///
    /// # Errors
    ///
    /// [`Error::Thread`] if the lease thread can't be created.
    pub async fn run(self, stop: CancellationToken) -> Result<(), Error> {
        run::run(self, stop).await
    }
}

/// Returns how many crashes are allowed while the job runs alone: the total minus those allowed next to other jobs.
fn lone_crashes(most: u32) -> i32 {
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    most.saturating_sub(SHARED_CRASHES).max(1)
}

fn hostname() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname");
    named.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}
