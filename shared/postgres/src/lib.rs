//! Connections to one Postgres on one or more hosts, of which one takes writes.
//!
//! sqlx connects to one host. A URL may name several, as with libpq: `postgres://user@a:5432,b:5432/tarsy`. A thread of
//! the process then asks each host twice a second whether it takes writes, and everything that was opened by the
//! same [`Primary`] follows: pools connect to the new primary from then on and drop what is older, long-lived
//! sessions are told ([`Primary::moves`]). With one host there is no thread, no question and no hook.
//!
//! A [`Replica`] is a standby to read from, of which it is known how far it is behind.
//!
//! Why: `docs/decisions/0041-postgres-that-fails-over.md`, `docs/decisions/0052-history-from-a-replica.md`.

mod host;
mod host_list;
mod lag;
mod lsn;
mod primary;
mod replica;
mod standing;
mod state;
mod transient;
mod watch;

pub use host::Host;
pub use host_list::{Error, HostList, each_host};
pub use lsn::Lsn;
pub use primary::{Moves, NoPrimary, Primary};
pub use replica::{Replica, ReplicaStanding, Trouble, Unfit};
pub use standing::Standing;
pub use transient::is_transient;
