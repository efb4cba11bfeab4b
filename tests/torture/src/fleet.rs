//! Running processes. Each has its own proxy to Postgres, and is restarted when it exits.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tarsy_testing::process::{Process, Program};
use url::Url;

use crate::clock::{self, Clock};
use crate::configuration;
use crate::pgbouncer::Bouncer;
use crate::process_limit::ProcessLimit;
use crate::processes::{by_name, free_port};
use crate::proxy::{Link, Proxy};

/// Delay before a dead process is restarted, as by an orchestrator.
const RESTART: Duration = Duration::from_millis(400);

/// Lease of the tortured fleet; faults last for multiples of it.
pub(crate) const LEASE: Duration = Duration::from_secs(3);
/// Default lease, for runs with outages that are shorter.
pub(crate) const LONG_LEASE: Duration = Duration::from_secs(10);

pub(crate) struct Member {
    /// Name, e.g. `stage-worker-2`.
    pub(crate) name: String,
    /// Proxies between it and each Postgres.
    proxies: Vec<Proxy>,
    /// Which of these servers is the primary.
    primary: Arc<AtomicUsize>,
    pub(crate) configuration: PathBuf,
    /// Maximum connections of its pool.
    pub(crate) connections: usize,
    pub(crate) clock: Clock,
    /// Programs of this build and of the other, if any.
    programs: Vec<Program>,
    build: AtomicUsize,
    process: Mutex<Option<Process>>,
    /// Limit on its child processes; dropped after the process.
    process_limit: Option<ProcessLimit>,
    /// Not restarted while set.
    held: AtomicBool,
    /// Connects through PgBouncer; see [`Setting::bounced`].
    pub(crate) bounced: bool,
    pub(crate) starts: AtomicUsize,
}

/// Settings of a supervised process.
pub(crate) struct Setting<'a> {
    pub(crate) binary: &'a str,
    pub(crate) number: usize,
    /// Whether it connects through PgBouncer.
    pub(crate) bounced: bool,
    /// Maximum connections of its pool.
    pub(crate) connections: usize,
    pub(crate) more: Vec<(&'a str, String)>,
}

pub(crate) struct Hosts {
    /// A database on the first server.
    pub(crate) first: Url,
    /// Port of the second server, which may take its place.
    pub(crate) second: Option<u16>,
    /// Which of them is the primary: 0 or 1.
    pub(crate) primary: Arc<AtomicUsize>,
}

impl Hosts {
    /// Returns the URL of all servers, without a proxy.
    pub(crate) fn url(&self) -> String {
        listed(&self.first, self.second)
    }
}

/// Returns the URL of `first` and, if there is one, the server on port `second`.
fn listed(first: &Url, second: Option<u16>) -> String {
    let (Some(second), Some(port)) = (second, first.port()) else {
        return first.to_string();
    };
    let one = format!(":{port}/");
    let both = format!(":{port},localhost:{second}/");
    first.as_str().replacen(&one, &both, 1)
}

impl Member {
    pub(crate) async fn new(
        setting: Setting<'_>,
        hosts: &Hosts,
        environment: &[(&str, String)],
        (folder, other_build): (&Path, Option<&Path>),
        seed: u64,
    ) -> Result<(Self, Option<Bouncer>)> {
        let database = &hosts.first;
        let port = database
            .port()
            .context("the database's address has no port")?;
        let mut proxies = Vec::new();
        for port in std::iter::once(port).chain(hosts.second) {
            proxies.push(Proxy::start(([127, 0, 0, 1], port).into(), seed).await?);
        }
        let mut url = by_name(database.clone())?;
        let _ = url.set_port(Some(proxies[0].port()));
        let name = format!("{}-{}", setting.binary, setting.number);
        let clock = Clock::new(folder, &name)?;
        let configuration = folder.join(format!("configuration/{name}.yaml"));
        configuration::put(&configuration, &configuration::first()?)?;
        let mut all = environment.to_vec();
        all.push(("AGENT_CONFIG_FILE", configuration.display().to_string()));
        all.extend(setting.more);
        let connections = setting.connections;
        all.push(("DATABASE_MAX_CONNECTIONS", connections.to_string()));
        all.extend(clock.environment());
        all.push((
            "DATABASE_URL",
            listed(&url, proxies.get(1).map(Proxy::port)),
        ));
        let bouncer = match setting.bounced {
            false => None,
            true => {
                let bouncer = Bouncer::start(&url, free_port()?, folder)?;
                all.push(("DATABASE_DIRECT_URL", url.to_string()));
                let _ = url.set_port(Some(bouncer.port()));
                all.push(("DATABASE_URL", url.to_string()));
                Some(bouncer)
            }
        };
        let other =
            other_build.map(|folder| Program::at(setting.binary, folder.join(setting.binary)));
        let programs = std::iter::once(Program::new(setting.binary)).chain(other);
        let programs = programs.map(|program| {
            let program = program.log_to(folder.join(format!("logs/{name}.log")));
            all.iter()
                .fold(program, |program, (name, value)| program.env(name, value))
        });
        let member = Self {
            process_limit: (setting.binary == "stage-worker")
                .then(|| ProcessLimit::make(&name))
                .flatten(),
            // A run between two builds starts with the other one.
            build: AtomicUsize::new(usize::from(other_build.is_some())),
            programs: programs.collect(),
            name,
            proxies,
            primary: Arc::clone(&hosts.primary),
            configuration,
            connections,
            clock,
            process: Mutex::new(None),
            held: AtomicBool::new(false),
            bounced: bouncer.is_some(),
            starts: AtomicUsize::new(0),
        };
        Ok((member, bouncer))
    }

    /// Proxy between it and the primary.
    pub(crate) fn proxy(&self) -> &Proxy {
        let primary = self.primary.load(Ordering::SeqCst);
        &self.proxies[primary % self.proxies.len()]
    }

    /// Restores all its links.
    pub(crate) fn heal_links(&self) {
        self.proxies.iter().for_each(|proxy| proxy.set(Link::Good));
    }

    /// Sends SIGHUP: the process loads its configuration again.
    pub(crate) fn hang_up(&self) -> usize {
        self.hit(Process::hang_up)
    }

    /// Uses the other build from the next start on, if there is one.
    pub(crate) fn change_build(&self) {
        self.build.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends SIGKILL; the process is restarted later. Returns how many processes that hit.
    pub(crate) fn kill(&self) -> usize {
        self.hit(Process::kill)
    }

    /// Sends SIGKILL and starts a process of the same name at once.
    pub(crate) fn replace(&self) -> usize {
        let mut process = self.process();
        let hit = hit(process.as_ref(), Process::kill);
        self.start(&mut process);
        hit
    }

    pub(crate) fn freeze(&self) -> usize {
        self.hit(Process::freeze)
    }

    pub(crate) fn resume(&self) {
        self.hit(Process::resume);
    }

    /// Sends SIGTERM; the process drains, exits and is restarted.
    pub(crate) fn terminate(&self) -> usize {
        self.hit(Process::terminate)
    }

    fn hit(&self, how: impl FnOnce(&Process)) -> usize {
        hit(self.process().as_ref(), how)
    }

    /// Whether its process has loaded libfaketime.
    pub(crate) fn follows_its_clock(&self) -> bool {
        self.id().is_some_and(clock::is_in)
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.process()
            .as_ref()
            .filter(|process| process.is_running())
            .map(Process::id)
    }

    /// Processes and threads refused by its limit.
    pub(crate) fn forks_refused(&self) -> u64 {
        self.process_limit.as_ref().map_or(0, ProcessLimit::refused)
    }

    fn start(&self, process: &mut Option<Process>) {
        // The old process is dropped first: it takes its process group with it.
        *process = None;
        let build = self.build.load(Ordering::Relaxed) % self.programs.len();
        if let Ok(started) = self.programs[build].start() {
            if let Some(process_limit) = &self.process_limit {
                process_limit.add(started.id());
            }
            *process = Some(started);
            self.starts.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Applies `how` to a running process; returns how many processes that hit.
fn hit(process: Option<&Process>, how: impl FnOnce(&Process)) -> usize {
    let running = process.filter(|process| process.is_running());
    usize::from(running.map(how).is_some())
}

/// Restarts dead processes, forever.
pub(crate) async fn supervise(members: Arc<Vec<Member>>) {
    loop {
        for member in members.iter() {
            let dead = member
                .process()
                .as_ref()
                .is_none_or(|process| !process.is_running());
            if dead && !member.held.swap(true, Ordering::SeqCst) {
                let (members, name) = (Arc::clone(&members), member.name.clone());
                let pause = if member.starts.load(Ordering::Relaxed) == 0 {
                    Duration::ZERO
                } else {
                    RESTART
                };
                tokio::spawn(async move {
                    tokio::time::sleep(pause).await;
                    if let Some(member) = members.iter().find(|member| member.name == name) {
                        let mut process = member.process();
                        if process.as_ref().is_none_or(|process| !process.is_running()) {
                            member.start(&mut process);
                        }
                        drop(process);
                        member.held.store(false, Ordering::SeqCst);
                    }
                });
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
