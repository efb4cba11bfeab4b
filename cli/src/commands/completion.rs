//! `tarsy completion`: shell completion scripts.

use clap::CommandFactory as _;

use crate::arguments::Arguments;
use crate::printing;

pub(crate) fn run(shell: clap_complete::Shell) {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tarsy", &mut script);
    printing::out_bytes(&script);
}
