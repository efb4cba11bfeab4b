//! Live events: delivers events from Postgres to the WebSockets of subscribers.
//!
//! Any process writes events. Each `ingest-api` reads all of them once, in the order of their ids
//! ([`feed`]). It renders each event once and passes the same text to every socket that subscribes
//! to it ([`hub`]). A socket has a bounded buffer ([`outbox`]). A client that reads too slowly gets
//! the ids of the events that were left out, and can request them again. Other clients are not
//! affected.

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
