//! `tarsy completion`: source its output in a shell's start file.

use clap::CommandFactory as _;

use crate::arguments::Arguments;

pub(crate) fn run(shell: clap_complete::Shell) {
    let mut command = Arguments::command();
    clap_complete::generate(shell, &mut command, "tarsy", &mut std::io::stdout());
}
