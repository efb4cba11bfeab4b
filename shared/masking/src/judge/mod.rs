//! Judges. Each decides whether a candidate is a secret, or what else it is.

pub(crate) mod account;
pub(crate) mod benign_context;
pub(crate) mod benign_name;
pub(crate) mod code;
pub(crate) mod identifier;
pub(crate) mod name;
pub(crate) mod phrase;
pub(crate) mod placeholder;
pub(crate) mod prefixed;
pub(crate) mod program;
pub(crate) mod reference;
pub(crate) mod resource_name;
pub(crate) mod secret_value;
pub(crate) mod sentence;
pub(crate) mod strength;
