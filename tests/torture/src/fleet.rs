//! The running processes, each behind its own proxy, restarted when they exit.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tarsy_testing::process::{Process, Program};
use url::Url;

use crate::clock::{self, Clock};
use crate::pgbouncer::Bouncer;
use crate::process_limit::Cage;
use crate::processes::{by_name, free_port};
use crate::proxy::Proxy;

/// How long a dead process stays dead, as under an orchestrator.
const RESTART: Duration = Duration::from_millis(400);

/// A lease of the tortured fleet; faults last for multiples of it.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// One place for a process.
pub(crate) struct Member {
    /// `stage-worker-2`, say.
    pub(crate) name: String,
    /// Between it and Postgres.
    pub(crate) proxy: Proxy,
    /// Connections of its pool, at most.
    pub(crate) connections: usize,
    /// Where a wrong time is set.
    pub(crate) clock: Clock,
    /// Of this build and, if there is one, of the other.
    programs: Vec<Program>,
    build: AtomicUsize,
    process: Mutex<Option<Process>>,
    /// Goes after the process that it holds.
    cage: Option<Cage>,
    /// Nobody restarts it for now.
    held: AtomicBool,
    /// See [`Setting::bounced`].
    pub(crate) bounced: bool,
    /// Starts so far.
    pub(crate) starts: AtomicUsize,
}

/// What one place for a process is told.
pub(crate) struct Setting<'a> {
    pub(crate) binary: &'a str,
    pub(crate) number: usize,
    /// Whether it reaches Postgres through PgBouncer.
    pub(crate) bounced: bool,
    /// Connections of its pool, at most.
    pub(crate) connections: usize,
    pub(crate) more: Vec<(&'a str, String)>,
}

impl Member {
    pub(crate) async fn new(
        setting: Setting<'_>,
        database: &Url,
        environment: &[(&str, String)],
        (folder, other_build): (&Path, Option<&Path>),
        seed: u64,
    ) -> Result<(Self, Option<Bouncer>)> {
        let port = database
            .port()
            .context("the database's address has no port")?;
        let proxy = Proxy::start(([127, 0, 0, 1], port).into(), seed).await?;
        let mut url = by_name(database.clone())?;
        let _ = url.set_port(Some(proxy.port()));
        let name = format!("{}-{}", setting.binary, setting.number);
        let clock = Clock::new(folder, &name)?;
        let mut all = environment.to_vec();
        all.extend(setting.more);
        let connections = setting.connections;
        all.push(("DATABASE_MAX_CONNECTIONS", connections.to_string()));
        all.extend(clock.environment());
        all.push(("DATABASE_URL", url.to_string()));
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
            cage: (setting.binary == "stage-worker")
                .then(|| Cage::make(&name))
                .flatten(),
            // A run between two builds begins with the other one.
            build: AtomicUsize::new(usize::from(other_build.is_some())),
            programs: programs.collect(),
            name,
            proxy,
            connections,
            clock,
            process: Mutex::new(None),
            held: AtomicBool::new(false),
            bounced: bouncer.is_some(),
            starts: AtomicUsize::new(0),
        };
        Ok((member, bouncer))
    }

    /// From the next start on, run the other build, if there is one.
    pub(crate) fn change_build(&self) {
        self.build.fetch_add(1, Ordering::Relaxed);
    }

    /// SIGKILL; somebody starts it again. How many processes that hits: none if it is dead.
    pub(crate) fn kill(&self) -> usize {
        self.hit(Process::kill)
    }

    /// SIGKILL and a new process under the same name at once.
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

    /// SIGTERM; it drains, ends, and is started again.
    pub(crate) fn terminate(&self) -> usize {
        self.hit(Process::terminate)
    }

    fn hit(&self, how: impl FnOnce(&Process)) -> usize {
        hit(self.process().as_ref(), how)
    }

    /// Whether the library of wrong clocks is in its process.
    pub(crate) fn follows_its_clock(&self) -> bool {
        self.id().is_some_and(clock::is_in)
    }

    /// Its process, for looking at.
    pub(crate) fn id(&self) -> Option<u32> {
        self.process()
            .as_ref()
            .filter(|process| process.is_running())
            .map(Process::id)
    }

    /// Processes and threads that its cage refused it.
    pub(crate) fn forks_refused(&self) -> u64 {
        self.cage.as_ref().map_or(0, Cage::refused)
    }

    fn start(&self, process: &mut Option<Process>) {
        // The old one is dropped first: it takes its process group with it.
        *process = None;
        let build = self.build.load(Ordering::Relaxed) % self.programs.len();
        if let Ok(started) = self.programs[build].start() {
            if let Some(cage) = &self.cage {
                cage.hold(started.id());
            }
            *process = Some(started);
            self.starts.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Do it to a process if it runs; how many that hits.
fn hit(process: Option<&Process>, how: impl FnOnce(&Process)) -> usize {
    let running = process.filter(|process| process.is_running());
    usize::from(running.map(how).is_some())
}

/// Start what is dead, for ever.
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
