//! Worker processes, and the events that affect them.

mod steps;

use tarsy_model::{StageStatus, WaitDecision};

use crate::calls::SCRIPT;
use crate::chain::Decision;
use crate::crashes::Owner;
use crate::tables::{Fence, Subject};
use crate::world::World;
use crate::{Action, Rules, Tables, Violation};

/// Role of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Chain jobs.
    Chain,
    /// Stage jobs.
    Stage,
}

/// Progress of a worker with a job. Between two points, others may do anything.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Point {
    /// It has claimed the job.
    Claimed,
    /// A chain worker has read the rows and decided.
    Decided(Decision),
    /// A chain worker has seen that a wait is undecided and its time is up.
    Expiring,
    /// A chain worker has seen that the children of these waits have ended.
    Freeing(Vec<u8>),
    /// The agent has seen that its children have not ended.
    Parking {
        /// Sequence of the call that waits for them.
        sequence: usize,
    },
    /// The agent is about to make a call.
    Running { sequence: usize },
    /// The intent is written, and the call is not made yet.
    Calling { sequence: usize },
    /// The call was made, and its result is not written yet.
    Answered {
        sequence: usize,
        /// Whether it is unknown if the call was made.
        unknown: bool,
    },
    /// The agent has ended.
    Ending(StageStatus),
    /// The end is being written by a statement that has already seen which other stages have ended. Only without
    /// [`Rules::fan_in_by_job`].
    Seen(StageStatus, Decision),
}

/// Job that a worker holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hand {
    /// Claim of the job.
    pub fence: Fence,
    /// Subject of the job.
    pub subject: Subject,
    /// Whether it runs alone.
    pub isolated: bool,
    /// Whether it must fail instead of being run.
    pub condemned: bool,
    /// Decision about the call for which the stage requested approval, as far as its run knows.
    pub verdict: Option<WaitDecision>,
    /// Progress of the worker.
    pub at: Point,
}

/// Slot for a process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Worker {
    /// Role of the process.
    pub role: Role,
    /// Id of the process, which is new with every start.
    pub owner: Owner,
    /// Whether a process is running.
    pub up: bool,
    /// Whether it is frozen.
    pub frozen: bool,
    /// Its jobs.
    pub hands: Vec<Hand>,
}

/// The whole fleet with its database and the outside world.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fleet {
    /// Rows, as all processes see them.
    pub rows: Tables,
    /// Rows that survive a power loss.
    pub durable: Tables,
    /// Worker processes.
    pub workers: Vec<Worker>,
    /// The outside world.
    pub world: World,
    pub(crate) next_owner: Owner,
    pub(crate) calls: usize,
    pub(crate) seen: Option<Violation>,
    /// Writes under lost claims that were refused.
    pub refused: u16,
}

impl Fleet {
    /// Creates a fleet with these processes, whose agents make this many calls (at most 4).
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

    /// Returns the violation that was observed, if any.
    #[must_use]
    pub fn violation(&self) -> Option<Violation> {
        self.seen.or(self.rows.broken)
    }

    /// Applies an action.
    pub fn apply(&mut self, action: Action) {
        match action {
            Action::Accept { shape, poison } => self.rows.accept(shape, poison),
            Action::Claim { worker, job } => return self.claim(worker, job),
            // Commits of claims, begins and sweeps don't wait for the disk.
            Action::ClaimUnacknowledged { worker, job } => {
                let owner = self.worker(worker).owner;
                self.rows.claim(job, owner);
                return;
            }
            Action::Expire { job } => return self.expire(job),
            Action::Sweep => return self.sweep(),
            Action::ReleaseStrays { worker } => return self.release_strays(worker),
            Action::Move { worker, hand } => return self.step(worker, hand, true),
            Action::MoveUnacknowledged { worker, hand } => return self.step(worker, hand, false),
            Action::GoOn { worker, hand } => return self.go_on(worker, hand, true),
            Action::GoOnUnacknowledged { worker, hand } => return self.go_on(worker, hand, false),
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
                // Postgres forgets rows, but not that time has passed.
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
        // This can be the same claim again, after Postgres forgot the first one. Its handler is already running.
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

    /// The stages that a worker runs lose the worker for a reason other than poison.
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
