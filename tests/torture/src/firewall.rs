//! Drops packets by nftables rules in a network namespace of the run, so that nothing else on the machine is affected.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use tarsy_testing::tools;

/// Environment variable that is set inside the namespace.
const INSIDE: &str = "TARSY_TORTURE_NETWORK";

/// Brings the loopback interface up and checks that rules can be added.
const PROBE: &str = "ip link set lo up && nft -f -";

/// How packets between a process and a port are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// Packets to the port are dropped.
    To,
    /// Packets from the port are dropped.
    From,
    /// Both are dropped.
    Both,
    /// Packets to the port are answered with RST.
    Reset,
}

impl Block {
    pub(crate) const ALL: [Self; 4] = [Self::To, Self::From, Self::Both, Self::Reset];
}

/// Restarts this program in a separate network namespace, if possible. Otherwise returns.
///
/// # Errors
///
/// When the program can't be run again.
pub(crate) fn enter() -> Result<()> {
    if skipped().is_some() || is_inside() {
        return Ok(());
    }
    let program = std::env::current_exe().context("this program has no path")?;
    let error = Command::new("unshare")
        .args(["--net", "--", "sh", "-c"])
        .args(["ip link set lo up && exec \"$@\"", "sh"])
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, "1")
        .exec();
    Err(error).context("cannot go on in a network of our own")
}

/// Returns why rules can't be added on this machine.
pub(crate) fn skipped() -> Option<&'static str> {
    if is_inside() {
        return None;
    }
    if tools::find("nft").is_none() && !std::path::Path::new("/usr/sbin/nft").exists() {
        return Some("nft is not installed (Debian: nftables)");
    }
    let mut probe = Command::new("unshare");
    probe.args(["--net", "--", "sh", "-c", PROBE]);
    let probe = feed(&mut probe, &script(1, Block::Reset));
    (!probe.is_ok_and(|accepted| accepted))
        .then_some("no network namespace with nftables' rules can be made (needs root)")
}

fn is_inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Blocks a TCP port of the loopback interface until [`lift`].
pub(crate) fn block(port: u16, how: Block) -> Result<()> {
    nft(&script(port, how))
}

/// Returns the nft script. nft requires a line break after a chain.
fn script(port: u16, how: Block) -> String {
    let rules = match how {
        Block::To => format!("tcp dport {port} drop"),
        Block::From => format!("tcp sport {port} drop"),
        Block::Both => format!("tcp dport {port} drop; tcp sport {port} drop"),
        Block::Reset => format!("tcp dport {port} reject with tcp reset"),
    };
    format!(
        "table inet port_{port} {{\nchain out {{\ntype filter hook output priority 0; {rules}\n}}\n}}\n"
    )
}

/// Removes the block of a port.
pub(crate) fn lift(port: u16) -> Result<()> {
    nft(&format!("delete table inet port_{port}\n"))
}

pub(crate) fn lift_all() -> Result<()> {
    match is_inside() {
        true => nft("flush ruleset\n"),
        false => Ok(()),
    }
}

fn nft(script: &str) -> Result<()> {
    // Outside the namespace, the rules would affect the whole machine.
    ensure!(is_inside(), "there is no network of our own");
    let mut nft = Command::new("nft");
    let accepted = feed(nft.args(["-f", "-"]), script).context("nft does not start")?;
    ensure!(accepted, "nft refuses {script}");
    Ok(())
}

/// Feeds a program this input; returns whether it succeeded.
fn feed(program: &mut Command, text: &str) -> std::io::Result<bool> {
    program.stdin(Stdio::piped());
    program.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = program.spawn()?;
    if let Some(mut input) = running.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    Ok(running.wait()?.success())
}
