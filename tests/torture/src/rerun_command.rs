//! Builds the command that repeats a run.

use std::fmt::Write as _;

use clap::ValueEnum;

use crate::Arguments;

/// Includes every option that changes the run.
pub(crate) fn again(arguments: &Arguments, seed: u64, seconds: u64) -> String {
    let mut command = format!("cargo xtask torture --seed {seed} --seconds {seconds}");
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            // Writing to a text can't fail.
            let _ = write!(command, " --{name} {value}");
        }
    };
    option("without", arguments.without.as_ref().and_then(name));
    let only: Vec<String> = arguments.only.iter().filter_map(name).collect();
    option("only", (!only.is_empty()).then(|| only.join(",")));
    option(
        "partitions",
        arguments
            .partitions
            .map(|yes| if yes { "yes" } else { "no" }.to_owned()),
    );
    option("quirks", (!arguments.quirks).then(|| "no".to_owned()));
    option("burst", arguments.burst.map(|burst| burst.to_string()));
    option("parked", arguments.parked.map(|parked| parked.to_string()));
    let build = arguments.other_build.as_ref();
    option(
        "other-build",
        build.map(|build| build.display().to_string()),
    );
    command
}

fn name(value: &impl ValueEnum) -> Option<String> {
    let value = value.to_possible_value()?;
    Some(value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn every_option_that_matters_is_in_it() {
        let options = "--minutes 1 --only failover,reload --partitions on --quirks off --burst 40 --parked 9 --other-build old/bin";
        let arguments = Arguments::parse_from(["torture"].into_iter().chain(options.split(' ')));
        assert_eq!(
            again(&arguments, 3, 9),
            "cargo xtask torture --seed 3 --seconds 9 --only failover,reload --partitions yes --quirks no --burst 40 --parked 9 --other-build old/bin"
        );
    }

    #[test]
    fn the_command_repeats_the_run() {
        let arguments = Arguments::parse_from(["torture", "--without", "crash-cap", "--json"]);
        let command = again(&arguments, 77, 75);
        let options = command.strip_prefix("cargo xtask ").unwrap_or_default();
        let read = Arguments::parse_from(options.split(' '));
        assert_eq!((read.seed, read.seconds), (Some(77), Some(75)));
        assert_eq!(read.without, arguments.without);
    }
}
