//! `tarsy servers add`.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;
use tarsy_config::{Config, Environment, Preset, Source, Variables};

use crate::configuration::Configuration;
use crate::output;

/// The section that the lines are inserted into.
const SECTION: &str = "mcp_servers:";

pub(super) fn run(
    configuration: &Configuration,
    preset: &Preset,
    name: &str,
    write: bool,
    as_json: bool,
) -> Result<ExitCode> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c);
    ensure!(
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain),
        "invalid server name `{name}`: use letters, digits, `-` and `_`"
    );
    let config = configuration.load(Variables::Optional)?;
    ensure!(
        !config.servers.contains_key(name),
        "server `{name}` exists; choose another name with --as"
    );
    let entry = preset.entry(name);
    let file = if write {
        Some(insert(configuration, preset, name, &entry)?)
    } else {
        None
    };
    let variables: Vec<_> = preset
        .keys
        .iter()
        .map(|key| (key, key.variable()))
        .collect();
    if as_json {
        let variables: Vec<_> = variables
            .iter()
            .map(|(key, variable)| json!({"name": variable, "required": key.required, "about": key.about}))
            .collect();
        let added = json!({"server": name, "preset": preset.name, "lines": entry, "written_to": file, "variables": variables});
        println!("{}", output::json(&added)?);
        return Ok(ExitCode::SUCCESS);
    }
    match file {
        Some(file) => println!("{file}: added server `{name}`"),
        None => println!("{SECTION}\n{}", indented(&entry, 2).trim_end()),
    }
    // Printed to standard error, so that the lines can be redirected into a file.
    eprintln!("\nSet these variables for the stage workers:");
    for (key, variable) in variables {
        let optional = if key.required { "" } else { " (optional)" };
        eprintln!("  {variable}{optional}: {}", key.about);
    }
    eprintln!(
        "Name the server in an agent: `mcp_servers: [{name}]`. Then run `tarsy servers check {name}`."
    );
    eprintln!("Documentation: {}", preset.documentation);
    Ok(ExitCode::SUCCESS)
}

/// Writes the lines into the configuration file, if the result is valid. Returns the file's name.
fn insert(
    configuration: &Configuration,
    preset: &Preset,
    name: &str,
    entry: &str,
) -> Result<String> {
    let Some(path) = configuration.file()? else {
        bail!("no configuration file is used; name one with --config, or leave out --write");
    };
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path).with_context(|| format!("failed to read {shown}"))?;
    let Some(text) = with_entry(&text, entry) else {
        bail!(
            "{shown}: `mcp_servers` is not a block of lines; add these by hand:\n{}",
            indented(entry, 2)
        );
    };
    let source = Source::Text {
        name: shown.clone(),
        text: text.clone(),
    };
    let config = Config::load_with(&source, &Environment::of_process(), Variables::Optional)?;
    let added = config.servers.get(name).and_then(|server| server.preset);
    ensure!(
        added == Some(preset.name),
        "{shown}: the lines can't be added; add them by hand"
    );
    std::fs::write(&path, text).with_context(|| format!("failed to write {shown}"))?;
    Ok(shown)
}

/// Returns the file with an entry at the start of `mcp_servers` and all other lines unchanged; `None` if the section is
/// not written as a block of lines.
fn with_entry(text: &str, entry: &str) -> Option<String> {
    let is_section = |line: &str| line.starts_with(SECTION);
    let Some(number) = text.lines().position(is_section) else {
        let is_written_otherwise = text
            .lines()
            .any(|line| line.contains("mcp_servers") && !line.starts_with(['#', ' ']));
        let gap = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        return (!is_written_otherwise)
            .then(|| format!("{text}{gap}\n{SECTION}\n{}", indented(entry, 2)));
    };
    let after = text.lines().nth(number)?.strip_prefix(SECTION)?.trim();
    if !after.is_empty() && !after.starts_with('#') {
        return None;
    }
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = text
        .lines()
        .skip(number + 1)
        .find(is_entry)
        .unwrap_or_default();
    let indent = match first.len() - first.trim_start_matches(' ').len() {
        0 => 2,
        indent => indent,
    };
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let entry = indented(entry, indent);
    // The section may be the last line, without a line break.
    let begun = if lines[number].ends_with('\n') {
        entry
    } else {
        format!("\n{entry}")
    };
    lines.insert(number + 1, &begun);
    Some(lines.concat())
}

fn indented(entry: &str, by: usize) -> String {
    let lines = entry
        .lines()
        .map(|line| format!("{}{line}\n", " ".repeat(by)));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::with_entry;

    const ENTRY: &str = "g:\n  preset: grafana\n";

    #[test]
    fn every_other_line_stays_as_it_is() {
        for (before, after) in [
            ("", "\nmcp_servers:\n  g:\n    preset: grafana\n"),
            (
                "# Mine.\nagents: {}",
                "# Mine.\nagents: {}\n\nmcp_servers:\n  g:\n    preset: grafana\n",
            ),
            ("mcp_servers:", "mcp_servers:\n  g:\n    preset: grafana\n"),
            (
                "mcp_servers: # all\n# The first.\n    a: {}  # kept\n\nagents:\n",
                "mcp_servers: # all\n    g:\n      preset: grafana\n# The first.\n    a: {}  # kept\n\nagents:\n",
            ),
        ] {
            assert_eq!(
                with_entry(before, ENTRY).as_deref(),
                Some(after),
                "{before}"
            );
        }
        for other in [
            "mcp_servers: {a: {}}\n",
            "{mcp_servers: {}}\n",
            "'mcp_servers':\n  a: {}\n",
        ] {
            assert_eq!(with_entry(other, ENTRY), None, "{other}");
        }
    }
}
