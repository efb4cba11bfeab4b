//! Calls that agents make.

/// A kind of call that an agent makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// The model.
    Model,
    /// A tool whose call may be repeated.
    Read,
    /// A tool whose call may not.
    Effect,
    /// `dispatch_agent`.
    Dispatch,
    /// `cancel_agent`, of the first child.
    Cancel,
    /// `list_agents`, when all have ended.
    Await,
}

/// The calls that every agent of the model makes.
pub(crate) const SCRIPT: [Call; 4] = [Call::Model, Call::Read, Call::Model, Call::Effect];
