//! A language model provider in each provider's wire format.
//!
//! Real clients talk to it over HTTP; a test tells it what to answer and sees what it was asked.
//! One server speaks all formats, each under its own base URL ([`WireFormat`]). It also takes
//! orders over HTTP, so that a test and the processes it kills can share one in a process of
//! its own:
//!
//! | request | does |
//! |---|---|
//! | `GET /__requests` | every request so far, as JSON |
//! | `DELETE /__requests` | forgets them |
//! | `POST /__behaviours` | queues a list of [`Behaviour`]s, used up in order |
//! | `PUT /__rules` | replaces the list of [`Rule`]s, used when the queue is empty |

mod answer;
mod bedrock;
mod behaviour;
mod error_body;
mod pieces;
mod prefix_cache;
mod quirk;
mod request;
mod server;
mod state;
mod streamed;

pub use answer::{FakeAnswer, FakeToolCall};
pub use behaviour::{Behaviour, Rule};
pub use request::{SeenMessage, SeenRequest, WireFormat};
pub use server::FakeLlm;
