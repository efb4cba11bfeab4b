//! One file a command.

pub(crate) mod check_config;
pub(crate) mod completion;
pub(crate) mod mask;
pub(crate) mod migrate;
pub(crate) mod sessions;
pub(crate) mod submit;
pub(crate) mod up;
