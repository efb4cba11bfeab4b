//! Kinds of faults, and which of them this machine supports.

use clap::ValueEnum;
use serde::Serialize;

use crate::process_limit::ProcessLimit;
use crate::{Protection, clock, firewall, pgbouncer};

/// One kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// SIGKILL of one process
    Kill,
    /// SIGKILL of all processes
    KillAll,
    /// SIGSTOP, for more than two leases, of a stage worker that holds jobs
    Freeze,
    /// SIGSTOP of all stage workers but one
    FreezeMost,
    /// SIGKILL of a process, and immediate start of a process with the same name
    SameName,
    /// SIGTERM of one process, which drains
    Drain,
    /// A connection is reset in the middle of a reply
    CutReply,
    /// Postgres restarts without a clean shutdown
    PostgresRestart,
    /// Postgres is down for up to 20 s, or up to 40 s in runs of five minutes or more
    PostgresOutage,
    /// All database connections of the fleet are terminated every 500 ms
    TerminateStorm,
    /// All connections of the Postgres server are taken
    Exhaustion,
    /// All connections of a chain worker's pool wait for a lock, so that none is left
    Pool,
    /// A table is locked for seconds
    TableLock,
    /// The connections that listen for notifications are terminated
    Listener,
    /// One process is cut off from Postgres: it receives nothing, sends nothing, or both
    Partition,
    /// Packets between one process and Postgres, or to and from the model, are dropped in one or both directions, or
    /// answered with RST
    Firewall,
    /// Every connection of one process to Postgres is reset
    Reset,
    /// The link between a process and Postgres is slow
    SlowLink,
    /// The model is slow, hangs, returns garbage or fails
    Model,
    /// The runbook server is slow, hangs, fails or returns too much
    Runbooks,
    /// The MCP server hangs
    HangingTool,
    /// The MCP server returns 8 MB at once
    FloodingTool,
    /// An alert kills each worker that runs it
    Poison,
    /// The same alert, or the same webhook, is sent a hundred times at once
    Duplicates,
    /// A large number of alerts is sent at once
    Burst,
    /// A person deletes a job manually
    LostJob,
    /// The clock of a process is wrong
    ClockSkew,
    /// PgBouncer, which runs in transaction mode between some processes and Postgres, is killed
    PgBouncer,
    /// The disk of Postgres is full
    DiskFull,
    /// The MCP server returns 100 MB in one line
    HugeOutput,
    /// The MCP server forks endlessly, under a limit on processes
    ForkBomb,
    /// The database is migrated to the next version, then every process is replaced in turn
    RollingUpgrade,
    /// Sessions are replayed and cancelled at the same time
    Replays,
    /// Sessions wait for approval; several people decide each one at the same time, or no one does
    Waits,
    /// Ended sessions expire and are deleted while others run
    Retention,
    /// Clients open WebSockets and do not read them
    SlowSockets,
    /// Every connection of one process goes silent for good, without FIN or RST; new connections work
    SilentPeer,
    /// A stage worker loses only its lease connection, four times for 1.2 s
    LeaseCut,
    /// Postgres is silent for one process, or for all, for 0.4 to 0.8 of a lease
    ShortSilence,
    /// Only the lease connection of a worker goes silent for good
    LeaseSilence,
    /// The jobs table is locked for 0.4 to 0.8 of a lease
    JobsLock,
    /// SIGKILL of one Postgres backend, as by the OOM killer, followed by a slow recovery
    BackendOom,
    /// SIGKILL of all chain workers and one stage worker at the same time
    KillTogether,
    /// Documents that are hard to parse are posted, or are in rows of older versions
    PoisonDocuments,
    /// More than a thousand requests never complete their headers
    Slowloris,
    /// Clients disconnect at a random moment of their request
    HangUp,
    /// The MCP server sends notifications or content blocks endlessly
    HostileServer,
    /// The Postgres primary dies and its synchronous standby is promoted; the former primary comes back
    Failover,
    /// A new configuration is rolled out process by process, with SIGHUP or only by changing the file; sometimes an
    /// invalid one comes first
    Reload,
}

impl Fault {
    /// Why the fault is impossible on this machine or build.
    pub(crate) fn skipped(self) -> Option<&'static str> {
        match self {
            Self::ClockSkew if clock::library().is_none() => Some("libfaketime is not installed"),
            Self::Firewall => firewall::skipped(),
            Self::PgBouncer => pgbouncer::program().err(),
            Self::ForkBomb if !ProcessLimit::possible() => Some("no control groups can be made"),
            _ => None,
        }
    }

    /// Explanation for a fault that hit nothing.
    pub(crate) const fn missed(self) -> &'static str {
        match self {
            Self::Kill | Self::KillAll | Self::FreezeMost | Self::SameName | Self::Drain => {
                "the process was not there"
            }
            Self::Freeze => "no job was taken from a frozen worker",
            Self::CutReply => "no reply came that could be cut",
            Self::Partition | Self::Firewall | Self::Reset | Self::SlowLink => {
                "the process had no connection"
            }
            Self::TerminateStorm | Self::Listener => "nobody was connected",
            Self::Exhaustion => "its connections were not all to be had",
            Self::Pool => "its pool was not used up",
            Self::TableLock | Self::JobsLock => "nobody waited for the table",
            Self::Model | Self::Runbooks => "nobody asked it",
            Self::HangingTool | Self::FloodingTool | Self::HugeOutput | Self::HostileServer => {
                "no tool was called"
            }
            Self::ForkBomb => "no tool forked up to its limit",
            Self::Poison | Self::Duplicates | Self::Burst => "no alert was accepted",
            Self::LostJob => "there was no job",
            Self::ClockSkew => "the process does not follow its clock",
            Self::PgBouncer => "it did not run",
            Self::RollingUpgrade => "no table could be altered",
            Self::HangUp => "every request was answered",
            Self::Replays => "nothing could be replayed or cancelled",
            Self::Waits => "nobody was asked",
            Self::Retention => "no session had ended",
            Self::SlowSockets | Self::Slowloris => "no socket could be opened",
            Self::SilentPeer => "the process had no connection",
            Self::ShortSilence => "the process had no connection",
            Self::LeaseCut | Self::LeaseSilence => "no lease connection was there",
            Self::BackendOom => "no backend was killed",
            Self::KillTogether => "no process was there",
            Self::PoisonDocuments => "no document was answered",
            Self::Failover => "the standby was not ready yet",
            Self::Reload => "the rollout before was under way",
            Self::PostgresRestart | Self::PostgresOutage | Self::DiskFull => "Postgres went on",
        }
    }

    /// Whether the fault kills or freezes no process, so that no job may be taken from a worker.
    pub(crate) const fn spares_processes(self) -> bool {
        matches!(self, Self::BackendOom | Self::Failover | Self::Reload) || self.is_outlasted()
    }

    /// Whether the fault is shorter than a lease, so that it may cause no repeated question and no unknown outcome.
    pub(crate) const fn is_outlasted(self) -> bool {
        matches!(
            self,
            Self::ShortSilence | Self::LeaseSilence | Self::JobsLock | Self::LeaseCut
        )
    }

    /// Whether stages of agents other than the poisoner may fail because of it, because the model can't be reached.
    pub(crate) const fn fails_stages(self) -> bool {
        matches!(self, Self::Model | Self::Firewall)
    }

    /// Relative frequency. Freezing and killing workers finds the most; a run without a protection prefers the faults
    /// that test it.
    pub(crate) const fn weight(self, without: Option<Protection>) -> u32 {
        match (without, self) {
            // One at a time, because another worker must take over meanwhile.
            (Some(Protection::Fence), Self::Freeze) => 3,
            (Some(Protection::Fence), Self::FreezeMost) => 1,
            (Some(Protection::Intent), Self::KillAll) => 1,
            (Some(Protection::CrashCap), Self::Poison) => 1,
            // Once is enough to fill the queue.
            (Some(_), _) | (None, Self::Burst) => 0,
            (None, Self::Freeze) => 6,
            (None, Self::Kill | Self::FreezeMost) => 4,
            (
                None,
                Self::Poison
                | Self::SameName
                | Self::Partition
                | Self::Firewall
                | Self::Model
                | Self::SilentPeer
                | Self::LeaseCut
                | Self::Reload,
            ) => 2,
            (None, _) => 1,
        }
    }
}
