//! The allocator of every service.
//!
//! Requests, batches and rows are thousands of short-lived allocations that one thread makes and
//! another frees; Debian's malloc takes a fifth of the API's time under load for them
//! (docs/BENCHMARKS.md).

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
