//! The fleet's model and tools behind the agent's ports.

mod model;
mod tools;
