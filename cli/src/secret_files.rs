//! Supports files for options that are secrets (`TARSY_API_KEY_FILE`).

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};
use tarsy_config::Environment;

/// Parses the arguments. For an option with the variable `NAME`, the value may be in the file that `NAME_FILE` names.
///
/// # Errors
///
/// The parser's errors, and unusable files for options of the command that is called.
pub(crate) fn parse<T: CommandFactory + FromArgMatches>(
    arguments: Vec<OsString>,
    environment: &Environment,
) -> Result<T, clap::Error> {
    let mut command = filled(T::command(), environment);
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    // Files for options of other commands may be unusable.
    let reread = environment.reread();
    ask(&command, &matches, &reread);
    if let Err(problems) = reread.check() {
        return Err(command.error(ErrorKind::ValueValidation, problems));
    }
    T::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Uses the contents of files as defaults of options.
fn filled(command: Command, environment: &Environment) -> Command {
    let default = |argument: Arg| {
        let name = variable(&argument).filter(|name| environment.has_file(name));
        let content = name.and_then(|name| environment.get(&name).map(str::to_owned));
        match content {
            Some(content) => argument.default_value(content).hide_default_value(true),
            None => argument,
        }
    };
    command
        .mut_args(default)
        .mut_subcommands(|command| filled(command, environment))
}

/// Reads the variables for those options of the called command that are not on the command line, so that their problems
/// are reported.
fn ask(command: &Command, matches: &ArgMatches, environment: &Environment) {
    for argument in command.get_arguments() {
        let Some(name) = variable(argument) else {
            continue;
        };
        let source = matches.value_source(argument.get_id().as_str());
        if source != Some(ValueSource::CommandLine) {
            let _ = environment.get(&name);
        }
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        ask(command, matches, environment);
    }
}

fn variable(argument: &Arg) -> Option<String> {
    Some(argument.get_env()?.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::arguments::Arguments;

    fn parsed(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Arguments, String> {
        let arguments = ["tarsy"].iter().chain(arguments).map(OsString::from);
        let environment = Environment::from_pairs(variables.iter().copied());
        parse(arguments.collect(), &environment).map_err(|error| error.to_string())
    }

    #[test]
    fn the_key_may_be_in_a_file_and_the_command_line_precedes_it() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(b"tarsy_of_a_file\n").expect("written");
        let path = file.path().to_str().expect("UTF-8");
        let variables = [("TARSY_API_KEY_FILE", path)];
        let key = |arguments: &[&str]| {
            let parsed = parsed(arguments, &variables).expect("parses");
            parsed.server.key().map(str::to_owned)
        };
        assert_eq!(key(&["health"]).as_deref(), Some("tarsy_of_a_file"));
        assert_eq!(key(&["health", "--key", "k"]).as_deref(), Some("k"));
    }

    #[test]
    fn an_unusable_file_is_refused_by_the_command_that_needs_it() {
        let missing = [("TARSY_API_KEY_FILE", "/nowhere/key")];
        let error = parsed(&["health"], &missing).expect_err("unreadable");
        assert!(
            error.contains("`TARSY_API_KEY_FILE`") && error.contains("/nowhere/key"),
            "{error}"
        );
        parsed(&["health", "--key", "k"], &missing).expect("given");
        let other = [("TARSY_SSH_TOKEN_FILE", "/nowhere/token")];
        parsed(&["health"], &other).expect("not asked for");
        let ssh = ["mcp", "ssh", "--config", "x", "--http", "127.0.0.1:0"];
        parsed(&ssh, &other).expect_err("unreadable");
    }
}
