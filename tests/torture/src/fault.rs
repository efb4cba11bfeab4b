//! Kinds of faults, and which of them this machine supports.

use clap::ValueEnum;
use serde::Serialize;

use crate::process_limit::Cage;
use crate::{Protection, clock, firewall, pgbouncer};

/// One kind of fault; reliability's F-numbers in the comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    /// F01: SIGKILL of one process
    Kill,
    /// F01: SIGKILL of all
    KillAll,
    /// F02: SIGSTOP, for more than two leases, of a stage worker that has jobs in hand
    Freeze,
    /// F02: SIGSTOP of all stage workers but one
    FreezeMost,
    /// F03: SIGKILL and a new process of the same name at once
    SameName,
    /// F22: SIGTERM
    Drain,
    /// F05: a connection is reset in the middle of a reply
    CutReply,
    /// F06: Postgres restarts without a shutdown
    PostgresRestart,
    /// F06: Postgres is away for up to 20 s, in runs of five minutes up to 40 s
    PostgresOutage,
    /// F07: all connections of the fleet are ended every 500 ms
    TerminateStorm,
    /// F08: all connections of the server are taken
    Exhaustion,
    /// F08: a chain worker's connections all wait for a lock, and it has none left
    Pool,
    /// F09: a table is locked for seconds
    TableLock,
    /// F11: listeners are ended
    Listener,
    /// F13: one process is cut off: deaf, mute or both
    Partition,
    /// F13: packets of one process, or of the model, are dropped one way, both ways, or answered with RST
    Firewall,
    /// F13: every connection of one process is reset
    Reset,
    /// F14: a slow link
    SlowLink,
    /// F15: the model is slow, hangs, talks garbage or fails
    Model,
    /// The runbooks' server is slow, hangs, fails or says too much
    Runbooks,
    /// F16: the MCP server hangs
    HangingTool,
    /// F16: the MCP server answers 8 MB at once
    FloodingTool,
    /// F17: an alert that kills each worker which runs it
    Poison,
    /// F18: the same alert, or the same webhook, a hundred times at once
    Duplicates,
    /// F19: very many alerts at once
    Burst,
    /// A person deletes a job by hand
    LostJob,
    /// F12: a process whose clock is wrong
    ClockSkew,
    /// F08: PgBouncer in transaction mode between
    PgBouncer,
    /// F10: a full disk
    DiskFull,
    /// F16: the MCP server answers 100 MB in one line
    HugeOutput,
    /// F16: the MCP server forks without end, under a limit on pids
    ForkBomb,
    /// F20: a migration of the next version, then every process is replaced in turn
    RollingUpgrade,
    /// F24: replays and cancels at the same time
    Replays,
    /// Sessions wait for approval; several people decide each at the same time, or nobody does
    Waits,
    /// F25: sessions grow old while others run
    Retention,
    /// F26: slow sockets
    SlowSockets,
    /// F13: every connection of one process goes silent for good, without FIN or RST; new ones work
    SilentPeer,
    /// F05: a stage worker loses its lease connection alone, four times for 1.2 s
    LeaseCut,
    /// F13: Postgres is silent for one process, or all, for 0.4 to 0.8 of a lease
    ShortSilence,
    /// F05: a worker's lease connection alone goes silent for good
    LeaseSilence,
    /// F09: the table of jobs is locked for 0.4 to 0.8 of a lease
    JobsLock,
    /// F06: SIGKILL of one Postgres backend, as by the OOM killer, and a slow recovery
    BackendOom,
    /// F01: SIGKILL of all chain workers and one stage worker at the same time
    KillTogether,
    /// F17: documents that a reader could stumble over: posted, and found in rows of older versions
    PoisonDocuments,
    /// F26: more than a thousand requests that never end their headers
    Slowloris,
    /// F26: clients hang up at a random moment of their request
    HangUp,
    /// F16: the MCP server sends notifications or content blocks without end
    HostileServer,
    /// The Postgres primary dies and its synchronous standby is promoted; the former primary comes back
    Failover,
    /// A new configuration is rolled out process by process, by SIGHUP or by its file alone; now and then a broken one first
    Reload,
}

impl Fault {
    /// Why the fault is impossible on this machine or build.
    pub(crate) fn skipped(self) -> Option<&'static str> {
        match self {
            Self::ClockSkew if clock::library().is_none() => Some("libfaketime is not installed"),
            Self::Firewall => firewall::skipped(),
            Self::PgBouncer => pgbouncer::program().err(),
            Self::ForkBomb if !Cage::possible() => Some("no control groups can be made"),
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

    /// Whether no process dies or freezes by it, so that no job may be taken from a worker.
    pub(crate) const fn spares_processes(self) -> bool {
        matches!(self, Self::BackendOom | Self::Failover | Self::Reload) || self.is_outlasted()
    }

    /// Whether it is shorter than a lease, so that no question may be asked twice for it and no outcome be unknown.
    pub(crate) const fn is_outlasted(self) -> bool {
        matches!(
            self,
            Self::ShortSilence | Self::LeaseSilence | Self::JobsLock | Self::LeaseCut
        )
    }

    /// Whether stages of other agents than the poisoner may fail by it, since the model can't be asked.
    pub(crate) const fn fails_stages(self) -> bool {
        matches!(self, Self::Model | Self::Firewall)
    }

    /// Relative frequency. Freezing and killing workers finds the most; a run without a protection prefers the faults
    /// that test it.
    pub(crate) const fn weight(self, without: Option<Protection>) -> u32 {
        match (without, self) {
            // One at a time: somebody has to take over meanwhile.
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
