//! `tarsy servers list`.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use tarsy_config::{Connection, McpServerConfig, Preset, Tried, Variables, presets};

use crate::configuration::Configuration;
use crate::output;
use crate::table::Table;

pub(super) fn run(configuration: &Configuration, as_json: bool) -> Result<ExitCode> {
    let config = configuration.load(Variables::Optional)?;
    let presets = presets();
    let servers: Vec<&McpServerConfig> = config.servers.values().collect();
    if as_json {
        let both = json!({"presets": presets, "servers": servers});
        println!("{}", output::json(&both)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["preset", "keys", "tools", "tried", "what it shows"]);
    for preset in presets {
        table.row(preset_cells(preset));
    }
    table.print("no presets");
    println!();
    let mut table = Table::new(&["server", "preset", "enabled", "tools", "reached by"]);
    for server in servers {
        table.row(server_cells(server));
    }
    table.print("no servers are configured");
    Ok(ExitCode::SUCCESS)
}

/// Optional keys are in brackets. Of the tools, the number of offered and of known ones is shown.
fn preset_cells(preset: &Preset) -> Vec<String> {
    let keys = preset.keys.iter().map(|key| match key.required {
        true => key.key.clone(),
        false => format!("[{}]", key.key),
    });
    let keys: Vec<String> = keys.collect();
    let (offered, known) = (preset.tools.len(), preset.effects().count());
    let tried = match &preset.tried {
        Tried::On { date, .. } => date.clone(),
        Tried::No { .. } => "no".to_owned(),
    };
    vec![
        preset.name.to_owned(),
        keys.join(" "),
        format!("{offered} of {known}"),
        tried,
        preset.summary.clone(),
    ]
}

fn server_cells(server: &McpServerConfig) -> Vec<String> {
    let tools = server.allowed_tools.as_ref();
    let reached_by = match &server.connection {
        Connection::Stdio { command, .. } => command.shown().to_owned(),
        Connection::Http { url, .. } => url.shown().to_owned(),
    };
    vec![
        server.server_id.clone(),
        server.preset.unwrap_or("-").to_owned(),
        if server.enabled { "yes" } else { "no" }.to_owned(),
        tools.map_or_else(|| "all".to_owned(), |tools| tools.len().to_string()),
        reached_by,
    ]
}
