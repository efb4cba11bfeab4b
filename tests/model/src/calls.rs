//! Calls that agents make.

/// A kind of call that an agent makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Call of the model.
    Model,
    /// Call of a tool that may be repeated.
    Read,
    /// Call of a tool that may not be repeated.
    Effect,
    /// `dispatch_agent`.
    Dispatch,
    /// `cancel_agent`, of the first child.
    Cancel,
    /// `list_agents`, when all have ended.
    Await,
}

/// Calls that every agent makes by default.
pub(crate) const SCRIPT: [Call; 4] = [Call::Model, Call::Read, Call::Model, Call::Effect];
