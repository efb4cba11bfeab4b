//! A model of the fleet, to be checked by the hundred thousand histories.
//!
//! Pure code, no I/O: [`Tables`] holds the rows and every statement over them that the services
//! make, one method for each transaction; [`Fleet`] adds worker processes that go through these
//! statements one by one, and everything that may befall them. What comes next for a session is
//! decided by the very `decide` of the chain worker.
//!
//! There is no clock: a lease may run out at any moment. That covers the frozen worker, the cut
//! off one and the one whose clock is wrong, for none of them knows that it happened.
//!
//! [`Storm`] has one, for the chance of random deaths to make a stage look like poison.
//!
//! [`simulate`] plays random histories; `tests/` also shrinks them and visits every state of a
//! small fleet.

mod action;
mod agent;
mod chain;
mod crashes;
mod enabled;
mod end;
mod fleet;
mod isolation;
mod rules;
mod simulate;
mod storm;
mod tables;
mod transitions;
mod world;

pub use action::Action;
pub use chain::Decision;
pub use crashes::{Crashes, MOST_POISONED};
pub use fleet::{Fleet, Hand, Point, Role, Worker};
pub use rules::{Rules, Violation};
pub use simulate::{History, Scale, drain, play, simulate};
pub use storm::{Damage, Storm};
pub use tables::{
    Answer, Call, Claimed, Fence, Job, JobState, Record, Session, Stage, Subject, Tables,
};
pub use world::World;
