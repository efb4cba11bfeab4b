//! Generates 500 hosts.

use super::MODELS;
use super::random::Random;

/// Mapping of the file.
pub(super) const MAPPING: &str = "key: hostname
title: hostname
fields:
- {name: hostname, column: host.name, identifier: true, required: true}
- {name: serial, column: host.serial, identifier: true}
- {name: mac, identifier: true}
- {name: position, identifier: true}
- {name: rack, filter: true}
- {name: slot, type: integer, search: false}
- {name: model, column: host.model, filter: true}
- {name: bios, column: bios.version, filter: true}
- {name: os, filter: true}
- {name: status, filter: true}
- {name: log}
";

pub(super) struct Host {
    pub(super) hostname: String,
    pub(super) serial: String,
    pub(super) mac: String,
    pub(super) position: String,
    rack: String,
    slot: usize,
    model: &'static str,
    bios: String,
    os: &'static str,
    status: &'static str,
    log: Vec<String>,
}

pub(super) fn all() -> Vec<Host> {
    let mut random = Random(2);
    (0..500).map(|number| host(&mut random, number)).collect()
}

fn host(random: &mut Random, number: usize) -> Host {
    let (rack, slot) = (format!("R{:02}", 1 + number / 20), 1 + number % 20);
    let mac = (0..3)
        .map(|_| format!("{:02x}", random.below(256)))
        .collect::<Vec<_>>()
        .join(":");
    let lines = (0..3 + random.below(5)).map(|line| {
        let what = random.pick(&[
            "link up on port 1",
            "correctable memory error in slot A2",
            "fan 3 below threshold",
            "user admin logged in",
            "power supply 2 restored",
            "drive in bay 4 predicts failure",
            "clock set from the network",
            "host was reset by the watchdog",
            "temperature of the inlet is high",
            "firmware update was applied",
        ]);
        format!("2026-0{}-1{} {what}", 1 + line, random.below(10))
    });
    let log = lines.collect();
    Host {
        hostname: format!(
            "{}-{:03}.lab.example",
            random.pick(&["node", "gpu", "store", "edge"]),
            number
        ),
        serial: format!(
            "SN{}{:06}",
            random.pick(&["K", "H", "X"]),
            100_000 + number * 37
        ),
        mac: format!("02:00:5e:{mac}"),
        position: format!("{rack}-{slot:02}"),
        rack,
        slot,
        model: random.pick(&MODELS),
        bios: format!(
            "{}.{}.{}",
            1 + random.below(3),
            random.below(20),
            random.below(10)
        ),
        os: random.pick(&["Debian 12", "Debian 13", "Ubuntu 24.04", "Rocky 9"]),
        status: random.pick(&["in use", "in use", "free", "broken"]),
        log,
    }
}

/// Serializes the hosts as JSON lines, with nested members and lists.
pub(super) fn jsonl(hosts: &[Host]) -> String {
    let line = |host: &Host| {
        let line = serde_json::json!({
            "host": {"name": host.hostname, "serial": host.serial, "model": host.model},
            "mac": host.mac, "position": host.position, "rack": host.rack, "slot": host.slot,
            "bios": {"version": host.bios}, "os": host.os, "status": host.status, "log": host.log,
        });
        format!("{line}\n")
    };
    hosts.iter().map(line).collect()
}
