//! Agents with a scripted model, scripted tools and a record in memory.

mod code;
mod denials;
mod evidence;
mod failures;
mod fakes;
mod forms;
mod injection;
mod limits;
mod many_tools;
mod metrics;
mod prefixes;
mod questions;
mod react;
mod report_form;
mod resume;
mod runaway;
mod search;
mod secrets;
mod strategies;
mod structured;
mod summaries;
