//! Invariants of the state machine, checked in every reachable state and in random histories.

mod children;
mod fence;
mod forgotten_epoch;
mod graphs;
mod shrinking;
mod simulator;
mod small_graph;
mod storms;
