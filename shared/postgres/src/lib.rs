//! Connections to one Postgres database on one or more hosts, one of which accepts writes.
//!
//! sqlx connects to one host. A URL may name several, as with libpq: `postgres://user@a:5432,b:5432/tarsy`. A thread
//! of the process then checks twice a second which host accepts writes. Everything that was opened through the same
//! [`Primary`] follows it: pools connect to the new primary and drop older connections, and long-lived sessions are
//! notified ([`Primary::moves`]). With one host there is no thread, no check and no hook.
//!
//! A [`Replica`] is a standby for reading, whose lag is known.
//!
//! The reasons are in `docs/decisions/0041-postgres-that-fails-over.md` and
//! `docs/decisions/0052-history-from-a-replica.md`.

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
