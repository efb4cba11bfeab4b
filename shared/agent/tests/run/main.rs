//! The agent as a whole, with a scripted model, scripted tools and a record in memory.

mod fakes;
mod failures;
mod injection;
mod limits;
mod resume;
mod strategies;
