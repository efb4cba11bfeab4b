//! A model of the fleet, to be checked by the hundred thousand histories.
//!
//! Pure code, no I/O: [`Tables`] holds the rows and every statement over them that the services
//! make, one method for each transaction; [`Fleet`] adds worker processes that go through these
//! statements one by one, and everything that may befall them. What comes next for a session is
//! decided by the very `decide` of the chain worker, and what a worker goes on with by its `sole_successor`.
//!
//! Chains are straight, or graphs with branches, joins, conditions, waits and calls that are asked about ([`Shape`]); agents dispatch
//! child sessions, wait for them and cancel them. What must
//! have settled before a stage begins is told by other words than the rule's.
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
mod calls;
mod chain;
mod children;
mod crashes;
mod enabled;
mod end;
mod fleet;
mod isolation;
mod needs;
mod people;
mod rules;
mod shapes;
mod simulate;
mod storm;
mod tables;
mod transitions;
mod waits;
mod world;

pub use action::Action;
pub use calls::Call;
pub use chain::{Decision, Due};
pub use crashes::{Crashes, MOST_POISONED};
pub use fleet::{Fleet, Hand, Point, Role, Worker};
pub use rules::{Rules, Violation};
pub use shapes::Shape;
pub use simulate::{History, Scale, drain, play, simulate};
pub use storm::{Damage, Storm};
pub use tables::{
    Answer, Claimed, Fence, Job, JobState, Parent, Record, Session, Stage, Subject, Tables, Wait,
};
pub use world::World;
