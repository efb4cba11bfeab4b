//! `tarsy completion`: shell completion scripts.

use crate::printing;

pub(crate) fn run(shell: clap_complete::Shell, command: &mut clap::Command) {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "tarsy", &mut script);
    printing::out_bytes(&script);
}
