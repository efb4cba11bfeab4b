//! Invariants of the state machine, checked in every reachable state and in random histories.

mod fence;
mod forgotten_epoch;
mod graphs;
mod shrinking;
mod simulator;
mod storms;
