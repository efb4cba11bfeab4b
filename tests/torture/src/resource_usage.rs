//! Memory, threads and descriptors of processes, from /proc.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fleet::Member;

/// Memory and files of one process.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Gauge {
    /// Resident memory in KiB.
    pub(crate) rss_kib: u64,
    /// Private memory without pages of program files, which is the part that can leak.
    pub(crate) own_kib: u64,
    pub(crate) files: usize,
}

/// Usage of all running members.
pub(crate) fn read(members: &[Member]) -> BTreeMap<String, Gauge> {
    let gauges = members
        .iter()
        .filter_map(|member| Some((member.name.clone(), gauge(member.id()?)?)));
    gauges.collect()
}

/// Returns the processes that use far more than at the start. Pools and caches grow once, but leaks keep growing.
pub(crate) fn leaks(
    before: &BTreeMap<String, Gauge>,
    after: &BTreeMap<String, Gauge>,
) -> Vec<String> {
    let grown = after.iter().filter(|(name, after)| {
        before.get(*name).is_some_and(|before| {
            after.files > 2 * before.files + 32 || after.own_kib > 2 * before.own_kib + 48 * 1024
        })
    });
    grown
        .map(|(name, after)| format!("{name}: {} KiB, {} files", after.own_kib, after.files))
        .collect()
}

/// Usage of a process.
pub(crate) fn gauge(process: u32) -> Option<Gauge> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().split(' ').next()?.parse().ok()
    };
    let (rss_kib, own_kib) = (kib("VmRSS:")?, kib("RssAnon:")?);
    let files = std::fs::read_dir(format!("/proc/{process}/fd"))
        .ok()?
        .count();
    Some(Gauge {
        rss_kib,
        own_kib,
        files,
    })
}
