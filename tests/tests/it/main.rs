//! Fleets of real processes: killed, frozen, restarted, drained and operated.

mod alerts_fire;
mod ask_knowledge;
mod branches;
mod burst;
mod command_line;
mod conversation;
mod cut_off_machine;
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
mod ops_port;

mod past_sessions;
mod point_in_time_restore;
mod postgres_restart;
mod reload;
mod runbooks;
mod scrapes;
mod secrets;
mod slack;
mod spending;
mod strategies;
mod unknown_job;
mod up;
mod waits;
