//! Fake language model provider that speaks the wire format of each real provider.
//!
//! Real clients talk to it over HTTP. A test sets the answers and reads the recorded requests.
//! One server speaks all formats, each under its own base URL ([`WireFormat`]). It can also be
//! controlled over HTTP. So a test and the processes that it kills can share a server that runs
//! in a separate process:
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
