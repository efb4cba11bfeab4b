//! The allocator of every service.
//!
//! Requests, batches and rows cause thousands of short-lived allocations that one thread makes and another frees. With
//! Debian's malloc, they take a fifth of the API's time under load (docs/BENCHMARKS.md).

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
