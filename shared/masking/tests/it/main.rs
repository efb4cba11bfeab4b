//! Tests of masking through the public interface.

mod config;
#[expect(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "the benchmark uses a part of it; a test fails by panicking"
)]
mod corpus;
mod escapes;
mod growing;
mod hostile;
mod kubernetes;
mod layers;
mod probes;
mod properties;
mod recall;
mod shapes;
mod wrapped;
