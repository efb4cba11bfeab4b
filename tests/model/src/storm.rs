//! Workers that die at random times. Measures which stages are given up, and after how many dead workers.
//!
//! Unlike [`Fleet`](crate::Fleet), this model has a clock. A tick is a tenth of a second, and calls take time. A stage
//! that crashed with two workers waits before it runs again, alone.

use std::ops::RangeInclusive;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::crashes::{Crashes, Owner, SHARED_CRASHES};

/// Ticks per second.
const SECOND: u32 = 10;
/// Ticks until a death is noticed.
const NOTICED: u32 = 3;
/// Ticks until another process has started.
const STARTED: u32 = 5;
/// Ticks during which the loss of another process counts.
const SURROUNDINGS: u32 = 60 * SECOND;
/// Ticks after which a busy worker takes a suspect.
const PATIENCE: u32 = 2 * SECOND;
/// Ticks after which a storm must have ended.
const LONGEST: u32 = 3_600 * SECOND;
/// Longest wait of a suspect.
const LONGEST_WAIT_SECONDS: u32 = 30;
/// Maximum number of concurrent jobs of a worker.
const SLOTS: usize = 5;

/// A fleet and the kills that affect it.
#[derive(Debug, Clone)]
pub struct Storm {
    /// Number of worker processes.
    pub workers: usize,
    /// Number of chains of three stages. A stage makes three calls.
    pub chains: usize,
    /// Duration of a call in seconds.
    pub call_seconds: u32,
    /// Number of randomly chosen processes that are killed.
    pub kills: usize,
    /// Ticks between two kills.
    pub every: RangeInclusive<u32>,
    /// Number of chains whose first stage kills its worker when its first call ends.
    pub poisoned: usize,
    /// Initial time in seconds that a suspect waits before it runs again. Each crash doubles it.
    pub wait_seconds: u32,
}

/// Result of a storm.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Number of stages without poison that were given up.
    pub condemned: usize,
    /// Highest number of workers that one poisoned stage killed.
    pub most_poisoned: usize,
    /// Number of poisoned stages that were never given up.
    pub unending: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Ready(u32),
    Running {
        worker: usize,
        left: u32,
        alone: bool,
    },
    Over,
}

struct Stage {
    at: At,
    place: u32,
    calls: u32,
    crashes: Crashes,
    is_poison: bool,
    killed: usize,
}

struct Process {
    id: Owner,
    up_at: u32,
    offered: u32,
    had_suspect: bool,
}

struct Run<'s> {
    storm: &'s Storm,
    random: SmallRng,
    now: u32,
    next_id: Owner,
    workers: Vec<Process>,
    stages: Vec<Stage>,
    lost: Vec<(u32, Owner)>,
    damage: Damage,
}

impl Storm {
    /// Runs the storm. The same seed always gives the same storm.
    #[must_use]
    pub fn pass(&self, seed: u64) -> Damage {
        let stage = |place| Stage {
            at: At::Ready(0),
            place: 0,
            calls: 0,
            crashes: Crashes::default(),
            is_poison: place < self.poisoned,
            killed: 0,
        };
        let mut run = Run {
            storm: self,
            random: SmallRng::seed_from_u64(seed),
            now: 0,
            next_id: 0,
            workers: Vec::new(),
            stages: (0..self.chains).map(stage).collect(),
            lost: Vec::new(),
            damage: Damage::default(),
        };
        for _ in 0..self.workers {
            let process = run.process(0);
            run.workers.push(process);
        }
        run.play();
        run.damage
    }
}

impl Run<'_> {
    fn play(&mut self) {
        let (mut kills, mut next_kill) = (0, self.random.random_range(self.storm.every.clone()));
        while self.stages.iter().any(|stage| stage.at != At::Over) && self.now < LONGEST {
            self.now += 1;
            let mut dead = self.work();
            if kills < self.storm.kills && self.now >= next_kill {
                dead.push(self.random.random_range(0..self.workers.len()));
                kills += 1;
                next_kill = self.now + self.random.random_range(self.storm.every.clone());
            }
            dead.sort_unstable();
            dead.dedup();
            dead.into_iter().for_each(|worker| self.die(worker));
            (0..self.workers.len()).for_each(|worker| self.claim(worker));
        }
        let unending = |stage: &&Stage| stage.is_poison && stage.at != At::Over;
        self.damage.unending = self.stages.iter().filter(unending).count();
    }

    fn process(&mut self, up_at: u32) -> Process {
        self.next_id += 1;
        Process {
            id: self.next_id,
            up_at,
            offered: up_at,
            had_suspect: false,
        }
    }

    /// Advances all stages by a tick. Returns the workers that poison killed in this tick.
    fn work(&mut self) -> Vec<usize> {
        let (mut killed, call) = (Vec::new(), self.storm.call_seconds * SECOND);
        let held: Vec<usize> = (0..self.workers.len())
            .map(|worker| self.jobs_of(worker))
            .collect();
        for stage in &mut self.stages {
            let At::Running {
                worker,
                left,
                alone,
            } = stage.at
            else {
                continue;
            };
            // It waits until the worker has ended its other jobs.
            if alone && held[worker] > 1 {
                continue;
            }
            if left > 1 {
                let left = left - 1;
                stage.at = At::Running {
                    worker,
                    left,
                    alone,
                };
            } else if stage.is_poison {
                killed.push(worker);
                stage.killed += 1;
                self.damage.most_poisoned = self.damage.most_poisoned.max(stage.killed);
            } else if stage.calls < 2 {
                stage.calls += 1;
                stage.at = At::Running {
                    worker,
                    left: call,
                    alone,
                };
            } else {
                (stage.place, stage.calls) = (stage.place + 1, 0);
                stage.crashes = Crashes::default();
                stage.at = match (stage.place, alone) {
                    (3, _) => At::Over,
                    (_, true) => At::Ready(self.now),
                    (_, false) => At::Running {
                        worker,
                        left: call,
                        alone,
                    },
                };
            }
        }
        killed
    }

    fn jobs_of(&self, worker: usize) -> usize {
        let of = |stage: &&Stage| matches!(stage.at, At::Running { worker: w, .. } if w == worker);
        self.stages.iter().filter(of).count()
    }

    fn die(&mut self, worker: usize) {
        let process = self.workers[worker].id;
        let recent = |(at, _): &&(u32, Owner)| self.now - at < SURROUNDINGS;
        let lost: Vec<Owner> = self.lost.iter().filter(recent).map(|(_, id)| *id).collect();
        for stage in &mut self.stages {
            let At::Running {
                worker: of, alone, ..
            } = stage.at
            else {
                continue;
            };
            if of == worker {
                stage.crashes.count(process, alone, &lost);
                let doubled = stage.crashes.by.len().checked_sub(SHARED_CRASHES);
                let wait = doubled
                    .map_or(0, |n| self.storm.wait_seconds << n)
                    .min(LONGEST_WAIT_SECONDS);
                stage.at = At::Ready(self.now + NOTICED + wait * SECOND);
            }
        }
        self.lost.push((self.now, process));
        self.workers[worker] = self.process(self.now + STARTED);
    }

    /// Fails condemned stages. Then claims one suspect alone, or as many other stages as there are free slots.
    fn claim(&mut self, worker: usize) {
        let alone = |stage: &Stage| matches!(stage.at, At::Running { worker: w, alone: true, .. } if w == worker);
        let (held, is_isolating) = (self.jobs_of(worker), self.stages.iter().any(alone));
        let (now, left) = (self.now, self.storm.call_seconds * SECOND);
        let process = &mut self.workers[worker];
        if process.up_at > now || is_isolating {
            return;
        }
        let passed_over = std::mem::take(&mut process.had_suspect);
        let is_due = now >= process.offered + PATIENCE;
        if passed_over || is_due {
            process.offered = now;
        }
        let takes_suspects = !passed_over && (held == 0 || is_due);
        let mut free = SLOTS.saturating_sub(held);
        let all = free;
        for stage in &mut self.stages {
            if !matches!(stage.at, At::Ready(from) if from <= now) {
                continue;
            }
            if stage.crashes.condemns() {
                stage.at = At::Over;
                self.damage.condemned += usize::from(!stage.is_poison);
            } else if stage.crashes.isolates() && takes_suspects && free == all {
                stage.at = At::Running {
                    worker,
                    left,
                    alone: true,
                };
                process.had_suspect = true;
                return;
            } else if !stage.crashes.isolates() && free > 0 {
                stage.at = At::Running {
                    worker,
                    left,
                    alone: false,
                };
                free -= 1;
            }
        }
    }
}
