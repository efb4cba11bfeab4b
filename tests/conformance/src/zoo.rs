//! `cargo xtask zoo`: real tool servers through our client, beside a bare one.
//!
//! The first argument names the list of servers, the second a folder for what they keep; more name the servers to try.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its findings"
)]

#[path = "zoo/bare.rs"]
mod bare;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use tarsy_config::{Environment, preset};
use tarsy_masking::{Masker, MaskingConfig};
use tarsy_mcp::{
    AgentAccess, CallError, CallOptions, McpPool, Secret, ServerGrant, ServerSettings,
    StdioSettings, SurveyedTool, TransportSettings, suggested_effects,
};
use tarsy_model::EffectClass;

/// Longest start of a server, its download included.
const START: Duration = Duration::from_secs(300);
const CALL: Duration = Duration::from_secs(30);
/// How many lines of suggested effects the goal allows.
const LINES: usize = 3;

/// Of a cluster that nobody reaches, for servers that want a file.
const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\ncurrent-context: none\nclusters: [{name: none, cluster: {server: \"http://127.0.0.1:9\"}}]\nusers: [{name: none, user: {}}]\ncontexts: [{name: none, context: {cluster: none, user: none}}]\n";

/// A server of the list.
#[derive(Deserialize)]
struct Animal {
    name: String,
    /// Command and arguments; a server with `preset` has them there.
    #[serde(default)]
    run: Vec<String>,
    /// The preset whose pin, arguments and environment it is started with.
    preset: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// A tool that answers without a network.
    call: Option<Call>,
}

#[derive(Deserialize)]
struct Call {
    tool: String,
    arguments: Value,
}

/// What was seen of a server.
struct Seen {
    /// Tools that the bare client lists.
    bare: usize,
    /// Those of them that ours does not.
    lost: Vec<String>,
    unusable: Vec<String>,
    reads: usize,
    silent: usize,
    offered: usize,
    /// With the first lines of the suggestion, and with all.
    with_some: usize,
    with_all: usize,
    /// Characters of the whole list.
    size: usize,
    call: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (list, folder) = (arguments.next(), arguments.next());
    let (Some(list), Some(folder)) = (list, folder) else {
        bail!("usage: mcp-zoo LIST FOLDER [SERVER..]")
    };
    let wanted: Vec<String> = arguments.collect();
    let text = std::fs::read_to_string(&list).with_context(|| format!("cannot read {list}"))?;
    let animals: Vec<Animal> = serde_json::from_str(&text)?;
    println!(
        "| server | tools bare/tarsy | lost | unusable schemas | read-only | unclassified | offered | with {LINES} lines | with all | size | call | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut tools, mut lost, mut unusable, mut some, mut all) = (0, 0, 0, 0, 0);
    let mut failed = Vec::new();
    for animal in animals {
        if !wanted.is_empty() && !wanted.contains(&animal.name) {
            continue;
        }
        let begun = Instant::now();
        match inspect(&animal, &PathBuf::from(&folder)).await {
            Ok(seen) => {
                println!(
                    "| {} | {}/{} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} |",
                    animal.name,
                    seen.bare,
                    seen.bare - seen.lost.len(),
                    seen.lost.join(" "),
                    seen.unusable.join(" "),
                    seen.reads,
                    seen.silent,
                    seen.offered,
                    seen.with_some,
                    seen.with_all,
                    seen.size,
                    seen.call,
                    begun.elapsed().as_secs_f64(),
                );
                tools += seen.bare;
                lost += seen.lost.len();
                unusable += seen.unusable.len();
                some += seen.with_some;
                all += seen.with_all;
            }
            Err(error) => {
                eprintln!("{}: {error:#}", animal.name);
                failed.push(animal.name);
            }
        }
    }
    println!(
        "\n{tools} tools, {lost} lost, {unusable} with an unusable schema; {some} of {all} read-only tools offered with {LINES} lines a server"
    );
    if !failed.is_empty() {
        println!("not started: {}", failed.join(", "));
    }
    ensure!(lost == 0 && unusable == 0, "a tool was lost");
    Ok(())
}

async fn inspect(animal: &Animal, folder: &Path) -> Result<Seen> {
    let home = folder.join(&animal.name);
    std::fs::create_dir_all(&home)?;
    std::fs::write(home.join("kubeconfig.yaml"), KUBECONFIG)?;
    // Caches are shared; what a server writes by itself is not.
    let (run, mut env) = started(animal)?;
    for (name, value) in [
        ("UV_CACHE_DIR", folder.join("uv")),
        ("npm_config_cache", folder.join("npm")),
        ("HOME", home.clone()),
    ] {
        env.insert(name.to_owned(), value.display().to_string());
    }
    let bare = bare::list(&run, &env, &home, START).await?;
    let Ok(masker) = Masker::new(&MaskingConfig::default()) else {
        bail!("the default masking can't be set up");
    };
    let (command, args) = run.split_first().context("`run` is empty")?;
    let transport = TransportSettings::Stdio(StdioSettings {
        command: command.clone(),
        args: args.to_vec(),
        env: env.into_iter().map(|(k, v)| (k, Secret::new(v))).collect(),
        cwd: Some(home),
    });
    let mut settings = ServerSettings::new(&animal.name, transport, Arc::new(masker));
    settings.start_timeout = START;
    let pool = McpPool::new(vec![settings])?;
    let tools = pool.agent(&AgentAccess {
        servers: vec![ServerGrant::all(&animal.name)],
        allow_destructive: true,
    })?;
    let surveyed = tools.survey().await.remove(0).tools?;
    let call = match &animal.call {
        None => "-".to_owned(),
        Some(call) => {
            let options = CallOptions {
                timeout: Some(CALL),
                ..CallOptions::default()
            };
            let name = &animal.name;
            let end = tools.call(name, &call.tool, call.arguments.clone(), options);
            match end.await {
                Ok(outcome) if outcome.is_error => "the server's own error".to_owned(),
                Ok(_) => "ok".to_owned(),
                Err(error @ CallError::Protocol { .. }) => format!("protocol: {error}"),
                Err(error) => format!("**{error}**"),
            }
        }
    };
    pool.close().await;
    Ok(seen(&bare, &surveyed, call))
}

/// What is started, with which variables.
fn started(animal: &Animal) -> Result<(Vec<String>, BTreeMap<String, String>)> {
    let Some(name) = &animal.preset else {
        return Ok((animal.run.clone(), animal.env.clone()));
    };
    let preset = preset(name).with_context(|| format!("unknown preset {name}"))?;
    let (command, args) = preset.package.command(&Environment::default());
    let run = [command].into_iter().chain(args).chain(preset.args.clone());
    let mut env = preset.env.clone();
    env.extend(animal.env.clone());
    Ok((run.collect(), env))
}

fn seen(bare: &[String], surveyed: &[SurveyedTool], call: String) -> Seen {
    let is_known = |name: &String| surveyed.iter().any(|ours| ours.tool.name == *name);
    let suggestion = suggested_effects(surveyed);
    let offered_with = |lines: usize| {
        let lines = &suggestion.read_only[..lines.min(suggestion.read_only.len())];
        let is_offered = |ours: &&SurveyedTool| match ours.is_classified {
            true => ours.tool.effect == EffectClass::ReadOnly,
            false => lines
                .iter()
                .any(|line| tarsy_mcp::fits(line, &ours.tool.name)),
        };
        surveyed.iter().filter(is_offered).count()
    };
    Seen {
        bare: bare.len(),
        lost: bare
            .iter()
            .filter(|name| !is_known(name))
            .cloned()
            .collect(),
        unusable: surveyed
            .iter()
            .filter(|ours| !ours.tool.has_usable_schema())
            .map(|ours| ours.tool.name.clone())
            .collect(),
        reads: surveyed
            .iter()
            .filter(|ours| ours.is_classified && ours.tool.effect == EffectClass::ReadOnly)
            .count(),
        silent: surveyed.iter().filter(|ours| !ours.is_classified).count(),
        offered: offered_with(0),
        with_some: offered_with(LINES),
        with_all: offered_with(usize::MAX),
        size: surveyed
            .iter()
            .map(|ours| ours.tool.description.len() + ours.tool.input_schema.to_string().len())
            .sum(),
        call,
    }
}
