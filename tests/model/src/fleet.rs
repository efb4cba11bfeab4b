//! Worker processes, and what befalls them.

mod steps;

use tarsy_model::{StageStatus, WaitDecision};

use crate::calls::SCRIPT;
use crate::chain::Decision;
use crate::crashes::Owner;
use crate::tables::{Fence, Subject};
use crate::world::World;
use crate::{Action, Rules, Tables, Violation};

/// What a worker runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Chain jobs.
    Chain,
    /// Stage jobs.
    Stage,
}

/// How far a worker is with a job. Between two points others may do anything.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Point {
    /// It has the job.
    Claimed,
    /// A chain worker has read the rows and decided.
    Decided(Decision),
    /// A chain worker has seen that a wait is undecided and its time is up.
    Expiring,
    /// A chain worker has seen that the children of these waits have ended.
    Freeing(Vec<u8>),
    /// The agent has seen that its children have not ended.
    Parking {
        /// The call that waits for them.
        sequence: usize,
    },
    /// The agent is about to make a call.
    Running { sequence: usize },
    /// The intent is written; the call is not made yet.
    Asking { sequence: usize },
    /// The call was made; its result is not written yet.
    Answered {
        sequence: usize,
        /// Nobody knows whether it was made.
        unknown: bool,
    },
    /// The agent has ended.
    Ending(StageStatus),
    /// The end is being written by a statement that has seen what else has ended: only without [`Rules::fan_in_by_job`].
    Seen(StageStatus, Decision),
}

/// A job in the hands of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hand {
    /// Its claim.
    pub fence: Fence,
    /// What it is about.
    pub subject: Subject,
    /// It runs alone.
    pub isolated: bool,
    /// It is to be failed, not run.
    pub condemned: bool,
    /// What was decided about the call that the stage asked about, as its run knows.
    pub verdict: Option<WaitDecision>,
    /// How far the worker is.
    pub at: Point,
}

/// A place for a process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Worker {
    /// What it runs.
    pub role: Role,
    /// New with every start.
    pub owner: Owner,
    /// Whether a process is there.
    pub up: bool,
    /// Whether it stands still.
    pub frozen: bool,
    /// Its jobs.
    pub hands: Vec<Hand>,
}

/// The whole fleet with its database and the outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fleet {
    /// The rows, as everybody sees them.
    pub rows: Tables,
    /// The rows that survive a power loss.
    pub durable: Tables,
    /// The processes.
    pub workers: Vec<Worker>,
    /// The outside.
    pub world: World,
    pub(crate) next_owner: Owner,
    pub(crate) calls: usize,
    pub(crate) seen: Option<Violation>,
    /// Writes under lost claims that were refused.
    pub refused: u16,
}

impl Fleet {
    /// A fleet with these processes, whose agents make so many calls (at most 4).
    #[must_use]
    pub fn new(rules: Rules, roles: &[Role], calls: usize) -> Self {
        let mut fleet = Self {
            rows: Tables::new(rules),
            durable: Tables::new(rules),
            workers: Vec::new(),
            world: World::default(),
            next_owner: 1,
            calls: calls.min(SCRIPT.len()),
            seen: None,
            refused: 0,
        };
        for role in roles {
            let owner = fleet.new_owner();
            fleet.workers.push(Worker {
                role: *role,
                owner,
                up: true,
                frozen: false,
                hands: Vec::new(),
            });
        }
        fleet
    }

    fn new_owner(&mut self) -> Owner {
        self.next_owner += 1;
        self.next_owner
    }

    /// What was seen that must not be.
    #[must_use]
    pub fn violation(&self) -> Option<Violation> {
        self.seen.or(self.rows.broken)
    }

    /// Let it happen.
    pub fn apply(&mut self, action: Action) {
        match action {
            Action::Accept { shape, poison } => self.rows.accept(shape, poison),
            Action::Claim { worker, job } => return self.claim(worker, job),
            // Claims, begins and sweeps don't wait for the disk.
            Action::ClaimUnheard { worker, job } => {
                let owner = self.worker(worker).owner;
                self.rows.claim(job, owner);
                return;
            }
            Action::Expire { job } => return self.expire(job),
            Action::Sweep => return self.sweep(),
            Action::ReleaseStrays { worker } => return self.release_strays(worker),
            Action::Move { worker, hand } => return self.step(worker, hand, true),
            Action::MoveUnheard { worker, hand } => return self.step(worker, hand, false),
            Action::GoOn { worker, hand } => return self.go_on(worker, hand, true),
            Action::GoOnUnheard { worker, hand } => return self.go_on(worker, hand, false),
            Action::Fail { worker, hand } => {
                return self.hand_mut(worker, hand).at = Point::Ending(StageStatus::Failed);
            }
            Action::Release { worker, hand } => {
                let fence = self
                    .worker_mut(worker)
                    .hands
                    .remove(usize::from(hand))
                    .fence;
                self.rows.give_back(fence);
            }
            Action::Crash { worker } => {
                self.strike(worker);
                return self.crash(worker);
            }
            Action::Restart { worker } => {
                let owner = self.new_owner();
                let process = self.worker_mut(worker);
                (process.owner, process.up) = (owner, true);
                return;
            }
            Action::Freeze { worker } => return self.worker_mut(worker).frozen = true,
            Action::Thaw { worker } => {
                self.worker_mut(worker).frozen = false;
                return self.rows.take_back(self.worker(worker).owner);
            }
            Action::PowerLoss => {
                // What it forgets is rows, not the time.
                let over: Vec<bool> = self.rows.waits.iter().map(|wait| wait.is_over).collect();
                self.rows = self.durable.clone();
                for (wait, over) in self.rows.waits.iter_mut().zip(over) {
                    wait.is_over |= over;
                }
                self.world.forgotten += 1;
                return;
            }
            Action::Cancel { session } => self.rows.cancel(session),
            Action::Replay {
                session,
                stage,
                branch,
            } => self.rows.replay(session, stage, branch),
            Action::Decide { wait, verdict } => self.rows.decide_wait(wait, Some(verdict)),
            Action::LoseJob { job } => {
                self.rows.jobs.retain(|j| j.id != job);
                self.world.forgotten += 1;
            }
            Action::Repair => self.rows.repair(self.world.time_of_repair()),
            Action::Unschedule { job } => self.rows.unschedule(job),
        }
        self.durable = self.rows.clone();
    }

    fn claim(&mut self, worker: u8, job: u16) {
        let owner = self.worker(worker).owner;
        let Some(claimed) = self.rows.claim(job, owner) else {
            return;
        };
        let hands = &mut self.worker_mut(worker).hands;
        // The very same claim again, after Postgres forgot the first: its handler is running.
        if hands.iter().all(|hand| hand.fence != claimed.fence) {
            hands.push(Hand {
                fence: claimed.fence,
                subject: claimed.subject,
                isolated: claimed.isolated,
                condemned: claimed.condemned,
                verdict: None,
                at: Point::Claimed,
            });
        }
    }

    fn expire(&mut self, job: u16) {
        let subject = self.rows.job_mut(job).map(|job| job.subject);
        if let Some(Subject::Stage(place)) = subject {
            self.world.strike(place);
        }
        self.rows.free_lost(|j| j.id == job);
    }

    fn sweep(&mut self) {
        let owners = |up: bool| {
            let which = self.workers.iter().filter(move |w| w.up == up);
            which.map(|w| w.owner).collect::<Vec<Owner>>()
        };
        let (alive, dead) = (owners(true), owners(false));
        self.rows.note_lost(dead);
        self.rows
            .free_lost(|j| j.owner.is_some_and(|owner| !alive.contains(&owner)));
    }

    /// What a worker runs loses it for a reason of its own, not by poison.
    fn strike(&mut self, worker: u8) {
        for hand in self.worker(worker).hands.clone() {
            if let Subject::Stage(place) = hand.subject {
                self.world.strike(place);
            }
        }
    }

    fn crash(&mut self, worker: u8) {
        let process = self.worker_mut(worker);
        process.up = false;
        process.frozen = false;
        process.hands.clear();
    }

    fn release_strays(&mut self, worker: u8) {
        let process = self.worker(worker);
        let (owner, known): (Owner, Vec<u16>) = (
            process.owner,
            process.hands.iter().map(|hand| hand.fence.job).collect(),
        );
        self.rows
            .free_strays(|job| job.owner == Some(owner) && !known.contains(&job.id));
        self.rows.take_back(owner);
    }

    pub(crate) fn worker(&self, worker: u8) -> &Worker {
        &self.workers[usize::from(worker)]
    }

    fn worker_mut(&mut self, worker: u8) -> &mut Worker {
        &mut self.workers[usize::from(worker)]
    }

    fn hand_mut(&mut self, worker: u8, hand: u8) -> &mut Hand {
        &mut self.worker_mut(worker).hands[usize::from(hand)]
    }
}
