//! Server settings: durable as in production, sized for many tests at once.

/// Enough for a fleet of processes and a test runner at the same time.
const MAX_CONNECTIONS: u32 = 300;

/// Memory, in MiB, from which the larger buffer is used.
const LARGE_MACHINE_MIB: u64 = 4096;

/// Returns settings as `name=value`. None contains a space, so they can be used on a command line.
pub(super) fn settings(port: u16, addresses: &str) -> Vec<String> {
    let buffers = if total_memory_mib() >= LARGE_MACHINE_MIB {
        512
    } else {
        128
    };
    vec![
        format!("port={port}"),
        format!("listen_addresses={addresses}"),
        "unix_socket_directories=".into(),
        format!("max_connections={MAX_CONNECTIONS}"),
        format!("shared_buffers={buffers}MB"),
        "max_wal_size=2GB".into(),
        // A test sometimes leaves a half-open connection, and its database can be dropped only after that is gone.
        "authentication_timeout=10s".into(),
        // Without these, crash tests would prove nothing.
        "fsync=on".into(),
        "synchronous_commit=on".into(),
        "full_page_writes=on".into(),
    ]
}

fn total_memory_mib() -> u64 {
    std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| parse_total(&text))
        .unwrap_or(0)
}

fn parse_total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kib| kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_size_of_memory() {
        assert_eq!(
            parse_total("MemTotal:       24576000 kB\nMemFree: 1 kB\n"),
            Some(24_000)
        );
        assert_eq!(parse_total("nothing"), None);
    }
}
