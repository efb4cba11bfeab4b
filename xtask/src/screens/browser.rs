//! Finds or installs the Chromium that the web apps are tested in.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tarsy_testing::tools::find;

use crate::{shell, terminal, tools, workspace};

/// Names of the program in distributions. The headless ones come first, because they need a sixth less CPU time.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

const PACKAGE: &str = "chromium-headless-shell";

/// Finds Chromium: `CHROMIUM`, `PATH`, or an earlier download. Otherwise root installs Debian's package, and other
/// users download the one of playwright.
pub(super) fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        if !named.is_file() {
            bail!("`CHROMIUM` names {}, which is no file", named.display());
        }
        return Ok(named);
    }
    if let Some(installed) = NAMES.iter().find_map(|name| find(name)) {
        return Ok(installed);
    }
    if let Some(downloaded) = downloaded(&folder()) {
        return Ok(downloaded);
    }
    if tools::can_install() {
        tools::debian_packages(&[PACKAGE])?;
        return find(PACKAGE)
            .with_context(|| format!("{PACKAGE} was installed, but is not in PATH"));
    }
    download()
}

fn folder() -> PathBuf {
    workspace::tools().join("browsers")
}

fn download() -> Result<PathBuf> {
    terminal::info("downloading Chromium for the tests of the screens, once for this checkout");
    tools::node_packages(&workspace::web(), "the packages of the screens")?;
    let mut install = Command::new("npx");
    install
        .current_dir(workspace::web())
        .env("PLAYWRIGHT_BROWSERS_PATH", folder())
        .args([
            "--no-install",
            "playwright-core",
            "install",
            "chromium-headless-shell",
        ]);
    let by_hand = format!(
        "the screens are tested in Chromium: `sudo apt-get install {PACKAGE}`, or name one in `CHROMIUM`, \
         or leave the screens out with `--without-screens`"
    );
    shell::run(&mut install).with_context(|| by_hand.clone())?;
    downloaded(&folder()).context(by_hand)
}

/// Finds a browser downloaded by playwright, `<browser>-<revision>/<platform>/<program>`.
fn downloaded(folder: &Path) -> Option<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).map_or_else(
            |_| Vec::new(),
            |entries| entries.flatten().map(|entry| entry.path()).collect(),
        )
    };
    let platforms = below(folder)
        .into_iter()
        .flat_map(|browser| below(&browser));
    platforms
        .flat_map(|platform| below(&platform))
        .find(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            file.is_file()
                && matches!(
                    &*name,
                    "headless_shell" | "chrome-headless-shell" | "chrome"
                )
        })
}
