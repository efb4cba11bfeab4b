//! Live events: from Postgres to the sockets of whoever watches.
//!
//! Any process writes events; each `ingest-api` reads them all once, in the order of their
//! ids ([`feed`]), renders each once, and hands the same text to every socket that listens
//! ([`hub`]). A socket has a bounded buffer ([`outbox`]): who reads too slowly is told what
//! was left out and asks for it again; nobody else notices.

mod answers;
mod catch_up;
mod channel;
mod draft;
mod epochs;
mod feed;
pub(crate) mod handlers;
mod hub;
mod listener;
mod origin;
mod outbox;
mod protocol;
mod pulse;
mod render;
mod sequence;
mod socket;

pub(crate) mod ticket;

pub(crate) use channel::Channel;
pub(crate) use draft::{Draft, News};
pub(crate) use feed::Feed;
pub(crate) use hub::{Full, Hub, Seat};
pub(crate) use origin::{is_allowed, is_listed};
pub(crate) use pulse::pulse;
pub(crate) use socket::attend;
