//! `tarsy servers check`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use serde::Serialize;
use tarsy_config::{
    Config, Connection, Environment, McpServerConfig, Preset, Resolved, Source, Variables, preset,
    template,
};
use tarsy_mcp::{AgentAccess, ServerGrant, ServerSurvey, SurveyedTool};
use tarsy_model::EffectClass;

use crate::commands::tools::listed;
use crate::configuration::Configuration;
use crate::output::{bold, dim, harmless, json, styled};

/// Result of checking a server.
#[derive(Debug, Serialize)]
struct Report {
    server: String,
    preset: &'static str,
    /// Command that was started, or the address.
    started: String,
    /// Reason why its tools could not be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    /// Number of tools that it lists.
    listed: usize,
    /// Tools that agents are offered.
    offered: Vec<String>,
    /// Tools that agents should be offered, but that it does not list.
    missing: Vec<String>,
    /// Tools that the preset does not list. Agents are not offered them.
    unknown: Vec<String>,
    /// Tools whose annotations state a more harmful effect than the preset.
    effects: Vec<Difference>,
}

/// A tool whose effect differs between preset and server.
#[derive(Debug, Serialize)]
struct Difference {
    tool: String,
    preset: EffectClass,
    server: EffectClass,
}

pub(super) async fn run(
    configuration: &Configuration,
    name: &str,
    as_json: bool,
) -> Result<ExitCode> {
    let mut config = configuration.load(Variables::Optional)?;
    if !config.servers.contains_key(name) {
        config = of_preset(super::expect(name)?)?;
    }
    config.servers.retain(|id, _| id == name);
    let Some(server) = config.servers.get_mut(name) else {
        bail!("unknown server `{name}`");
    };
    let Some(preset) = server.preset.and_then(preset) else {
        bail!(
            "server `{name}` has no preset to compare with; `tarsy tools AGENT` lists the tools of an agent's servers"
        );
    };
    ensure!(server.enabled, "server `{name}` is disabled");
    if let Some(variable) = unset(&server.connection).first() {
        bail!(
            "environment variable `{variable}` is not set; server `{name}` of preset `{}` needs it",
            preset.name
        );
    }
    let offered = server.allowed_tools.clone().unwrap_or_default();
    let started = started(server);
    // Remove the preset's effects, so that those of the server itself are found.
    let effects = std::mem::take(&mut server.tool_effects);
    server.default_effect = EffectClass::Destructive;
    tarsy_telemetry::install_crypto();
    let pool = tarsy_stage_worker::servers(&config)?;
    let access = AgentAccess {
        servers: vec![ServerGrant::all(name)],
        allow_destructive: true,
    };
    let mut surveys = pool.agent(&access)?.survey().await;
    pool.close().await;
    let Some(survey) = surveys.pop() else {
        bail!("server `{name}` was not started");
    };
    let report = Report::new(survey, preset, started, offered, &effects);
    if as_json {
        println!("{}", json(&report)?);
    } else {
        report.print();
    }
    Ok(match report.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Returns the configuration that `tarsy servers add` would create, with those optional keys whose variables are set.
fn of_preset(preset: &Preset) -> Result<Config> {
    let env = Environment::of_process();
    let entry = preset.entry_with(preset.name, |key| {
        key.required || env.value(&key.variable()).is_some()
    });
    let lines = entry.lines().map(|line| format!("  {line}\n"));
    let source = Source::Text {
        name: format!("preset {}", preset.name),
        text: format!("mcp_servers:\n{}", lines.collect::<String>()),
    };
    Ok(Config::load_with(&source, &env, Variables::Optional)?)
}

/// Returns the variables that the connection uses but that are not set.
fn unset(connection: &Connection) -> Vec<String> {
    let values: Vec<&Resolved> = match connection {
        Connection::Stdio {
            command, args, env, ..
        } => [command]
            .into_iter()
            .chain(args)
            .chain(env.values())
            .collect(),
        Connection::Http {
            url,
            headers,
            bearer_token,
            ..
        } => [url]
            .into_iter()
            .chain(headers.values())
            .chain(bearer_token)
            .collect(),
    };
    let none = Environment::default();
    let left = values
        .into_iter()
        .filter_map(|value| template::resolve(value.value(), &none).err());
    left.flatten().collect()
}

fn started(server: &McpServerConfig) -> String {
    match &server.connection {
        Connection::Stdio { command, args, .. } => {
            let words = [command].into_iter().chain(args).map(Resolved::shown);
            words.collect::<Vec<_>>().join(" ")
        }
        Connection::Http { url, .. } => url.shown().to_owned(),
    }
}

impl Report {
    fn new(
        survey: ServerSurvey,
        preset: &Preset,
        started: String,
        offered: Vec<String>,
        effects: &BTreeMap<String, EffectClass>,
    ) -> Self {
        let (tools, error) = listed(survey.tools, survey.stderr);
        let is_listed = |name: &String| tools.iter().any(|listed| listed.tool.name == *name);
        let (offered, mut missing): (Vec<_>, Vec<_>) = offered.into_iter().partition(is_listed);
        if error.is_some() {
            missing.clear();
        }
        let effect = |name: &str| {
            let mut known = effects.iter();
            let found = known.find(|(known, _)| tarsy_mcp::fits(known, name));
            found.map(|(_, effect)| *effect)
        };
        let difference = |listed: &SurveyedTool| {
            let (preset, server) = (effect(&listed.tool.name)?, listed.tool.effect);
            let is_worse =
                listed.is_classified && preset == EffectClass::ReadOnly && server != preset;
            is_worse.then(|| Difference {
                tool: listed.tool.name.clone(),
                preset,
                server,
            })
        };
        let names = tools.iter().map(|listed| &listed.tool.name);
        let unknown = names.filter(|name| effect(name).is_none());
        Self {
            fix: error.is_some().then(|| preset.missing.clone()),
            listed: tools.len(),
            offered,
            missing,
            unknown: unknown.cloned().collect(),
            effects: tools.iter().filter_map(difference).collect(),
            server: survey.server,
            preset: preset.name,
            started,
            error,
        }
    }

    /// Unknown tools are no problem, because agents are not offered them.
    fn is_good(&self) -> bool {
        self.error.is_none() && self.missing.is_empty() && self.effects.is_empty()
    }

    fn print(&self) {
        let started = format!("preset {}: {}", self.preset, self.started);
        println!("{}  {}", bold(&self.server), dim(&harmless(&started)));
        let fail = |text: String| println!("  {} {text}", styled("31", "fail"));
        match &self.error {
            Some(error) => fail(harmless(error)),
            None => println!(
                "  {} tools listed, {} offered to agents",
                self.listed,
                self.offered.len()
            ),
        }
        if let Some(fix) = &self.fix {
            println!("       {}", dim(fix));
        }
        for name in &self.missing {
            let name = harmless(name);
            fail(format!(
                "{name}: offered by the preset, but missing on the server"
            ));
        }
        for effect in &self.effects {
            let (tool, server, preset) = (harmless(&effect.tool), effect.server, effect.preset);
            fail(format!(
                "{tool}: {server} by the server's annotations, {preset} by the preset"
            ));
        }
        if !self.unknown.is_empty() {
            let unknown = harmless(&self.unknown.join(", "));
            println!(
                "  {} unknown to the preset, so not offered: {unknown}",
                styled("33", "warn")
            );
        }
    }
}
