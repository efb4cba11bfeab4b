//! Installs the programs that faults need, if this process may install any. Faults without their program are skipped
//! and reported.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tarsy_testing::tools::find;

use crate::{shell, terminal, tools, workspace};

/// Debian packages, each with a file that it installs.
const DEBIAN: [(&str, &str); 2] = [
    ("/usr/sbin/nft", "nftables"),
    ("/usr/bin/faketime", "faketime"),
];

/// First Debian release whose PgBouncer (1.24) supports prepared statements in transaction mode. The one of Debian 12
/// (1.18) does not. Its source is built here, against this machine's libraries.
const RELEASE: &str = "trixie";

/// Keyring for verifying Debian releases.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Installs the missing programs, as far as possible.
pub(crate) fn install() {
    if !tools::can_install() {
        return;
    }
    let missing: Vec<_> = DEBIAN
        .iter()
        .filter(|(file, _)| !Path::new(file).exists())
        .map(|(_, package)| *package)
        .collect();
    for outcome in [tools::debian_packages(&missing), pgbouncer()] {
        if let Err(error) = outcome {
            terminal::info(&format!("some faults will be skipped: {error:#}"));
        }
    }
}

/// Builds PgBouncer, once per checkout.
fn pgbouncer() -> Result<()> {
    let program = workspace::tools().join("pgbouncer");
    if program.is_file() {
        return Ok(());
    }
    terminal::info("building PgBouncer, once for this checkout");
    if !shell::succeeds(Command::new("pkg-config").args(["--exists", "libevent"])) {
        tools::debian_packages(&["libevent-dev", "pkg-config", "make"])?;
    }
    let folder = workspace::tools().join("pgbouncer-source");
    fs::remove_dir_all(&folder).ok();
    source(&folder)?;
    let build = "(tar -xf pgbouncer_*.orig.tar.gz && cd pgbouncer-*/ \
        && ./configure --without-cares --without-openssl && make --jobs 2 pgbouncer \
        && cp pgbouncer ../program) > log 2>&1 || (tail log; false)";
    shell::run(
        Command::new("sh")
            .current_dir(&folder)
            .args(["-e", "-c", build]),
    )
    .context("PgBouncer does not build")?;
    // Renamed into place, so that an incomplete program is never found.
    fs::rename(folder.join("program"), &program).context("cannot keep PgBouncer")?;
    fs::remove_dir_all(&folder).ok();
    Ok(())
}

/// Downloads the source package into `folder` from this machine's Debian archive. Does not change the machine's package
/// lists.
fn source(folder: &Path) -> Result<()> {
    for part in ["lists/partial", "cache/archives/partial"] {
        let path = folder.join(part);
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    let list = folder.join("sources.list");
    let line = format!(
        "deb-src [signed-by={KEYRING}] {} {RELEASE} main\n",
        archive()?
    );
    fs::write(&list, line).with_context(|| format!("cannot write {}", list.display()))?;
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.current_dir(folder).arg("-qq");
        for (option, place) in [
            ("Dir::Etc::sourcelist", "sources.list"),
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
        ] {
            let place = folder.join(place);
            apt.arg("-o").arg(format!("{option}={}", place.display()));
        }
        apt.args(["-o", "Dir::Etc::sourceparts=/dev/null"]);
        apt
    };
    shell::run(apt().arg("update"))?;
    shell::run(apt().args(["source", "--download-only", "pgbouncer"]))
}

/// Returns the URL of this machine's Debian archive.
fn archive() -> Result<String> {
    let Some(apt) = find("apt-get") else {
        bail!("there is no apt-get");
    };
    let targets = Command::new(apt)
        .args(["indextargets", "--format", "$(SITE)"])
        .args(["Created-By: Packages", "Origin: Debian", "Component: main"])
        .output()
        .context("apt-get does not say where packages come from")?;
    let sites = String::from_utf8_lossy(&targets.stdout);
    match sites.lines().find(|site| !site.contains("security")) {
        Some(site) => Ok(site.to_owned()),
        None => bail!("no archive of Debian is set up"),
    }
}
