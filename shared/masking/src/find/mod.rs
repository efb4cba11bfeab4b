//! Finders: each looks at one kind of place where a secret may be.

pub(crate) mod anchor;
pub(crate) mod beside;
pub(crate) mod call;
pub(crate) mod columns;
pub(crate) mod command;
pub(crate) mod directive;
pub(crate) mod distant_value;
pub(crate) mod encoded;
pub(crate) mod extent;
pub(crate) mod format;
pub(crate) mod header;
pub(crate) mod inner_marker;
pub(crate) mod items;
pub(crate) mod jwt;
pub(crate) mod keyed;
pub(crate) mod kubernetes;
pub(crate) mod network;
pub(crate) mod pem;
pub(crate) mod percent;
pub(crate) mod repeated;
pub(crate) mod separator;
pub(crate) mod shaped;
pub(crate) mod tokens;
pub(crate) mod url;
pub(crate) mod whole_value;
