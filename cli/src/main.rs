//! The `tarsy` command line program.

// This module must come first: its macros replace those of the standard library, which panic if the reader of the
// output has closed.
#[macro_use]
mod printing;

mod arguments;
mod bulk;
mod bytes;
mod claims;
mod client;
mod commands;
mod configuration;
mod confirmation;
mod database;
mod doctor;
mod estimate;
mod field_filter;
mod follow;
mod gaps;
mod interaction_line;
mod listing;
mod live_answer;
mod output;
mod resolved_stage;
mod secret_files;
mod server;
mod service_link;
mod spending;
mod stage_dry_run;
mod table;
mod verdict;
mod watch;

use std::process::ExitCode;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    if let Err(error) = tarsy_boot::deny_inspection() {
        return printing::fail(&anyhow::Error::new(error));
    }
    let arguments = Arguments::of_process();
    let runtime = arguments.runtime().map_err(anyhow::Error::new);
    match runtime.and_then(|runtime| runtime.block_on(arguments.run())) {
        Ok(code) => code,
        Err(error) => printing::fail(&error),
    }
}
