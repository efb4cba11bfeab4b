//! Fleets of real processes: killed, frozen, restarted, drained and operated.

mod branches;
mod burst;
mod command_line;
mod conversation;
mod dead_model;
mod drain;
mod every_crash_point;
mod every_lone_write;
mod every_operators_commit;
mod frozen_worker;
mod graphs;
mod history_off;
mod injection;
mod keys;
mod killed_worker;
mod migrations;
mod one_trace;
mod operators;
mod parked_job;
mod postgres_restart;
mod runbooks;
mod secrets;
mod strategies;
mod up;
mod waits;
