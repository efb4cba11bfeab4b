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
    let file = write.then(|| insert(configuration, preset, name, &entry));
    let file = file.transpose()?;
    if as_json {
        let variables = preset.keys.iter().map(
            |key| json!({"name": key.variable(), "required": key.required, "about": key.about}),
        );
        let variables: Vec<_> = variables.collect();
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
    for key in &preset.keys {
        let optional = if key.required { "" } else { " (optional)" };
        eprintln!("  {}{optional}: {}", key.variable(), key.about);
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
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(number) = lines.iter().position(|line| line.starts_with(SECTION)) else {
        let is_section =
            |line: &&str| line.contains("mcp_servers") && !line.starts_with(['#', ' ']);
        let gap = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let added = format!("{text}{gap}\n{SECTION}\n{}", indented(entry, 2));
        return (!lines.iter().any(is_section)).then_some(added);
    };
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if !is_blank(&lines[number][SECTION.len()..]) {
        return None;
    }
    let mut entries = lines[number + 1..].iter().filter(|line| !is_blank(line));
    let indent = match entries
        .next()
        .map(|first| first.len() - first.trim_start_matches(' ').len())
    {
        None | Some(0) => 2,
        Some(indent) => indent,
    };
    // The section may be the last line, without a line break.
    let gap = if lines[number].ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let entry = format!("{gap}{}", indented(entry, indent));
    lines.insert(number + 1, &entry);
    Some(lines.concat())
}

fn indented(entry: &str, by: usize) -> String {
    let line = |line| format!("{}{line}\n", " ".repeat(by));
    entry.lines().map(line).collect()
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
