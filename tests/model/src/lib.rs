//! A model of the fleet, for checking hundreds of thousands of histories.
//!
//! The code is pure, without I/O. [`Tables`] holds the rows, and has one method for each transaction of the services.
//! [`Fleet`] adds worker processes that make these transactions one by one, and all events that may affect them. The
//! real `decide` of the chain worker decides the next step of a session. Its `sole_successor` decides which stage a
//! worker continues with.
//!
//! Chains are straight, or graphs with branches, joins, conditions, waits and calls that need approval ([`Shape`]).
//! Agents dispatch child sessions, wait for them and cancel them. A separate implementation, independent of the rule,
//! checks what must have settled before a stage begins.
//!
//! There is no clock: a lease may expire at any moment. This covers workers that are frozen, cut off, or have a wrong
//! clock, because none of them knows that it happened.
//!
//! [`Storm`] has a clock. It measures how likely random deaths make a stage look like poison.
//!
//! [`simulate`] plays random histories. `tests/` also shrinks histories, and visits every state of a small fleet.

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
