//! The tools. There is one for each effect, so that approvals and permissions of a fleet can distinguish them.

use std::collections::BTreeSet;

use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tarsy_mcp_server::{Effect, ToolServer, parsed, tool};

use crate::policy::Policy;
use crate::runner::Runner;

/// Most hosts that a schema lists.
const LISTED: usize = 100;

/// Tools that run commands, by the effect of these commands.
const RUNNING: [(&str, Effect, &str); 3] = [
    (
        "run",
        Effect::ReadOnly,
        "Run a command that only reads on a host.",
    ),
    (
        "run_idempotent",
        Effect::Idempotent,
        "Run a command that changes a host; a second run changes nothing more.",
    ),
    (
        "run_destructive",
        Effect::Destructive,
        "Run a command that changes a host, each time anew.",
    ),
];

/// Tool server for a [`Runner`].
#[derive(Debug)]
pub struct SshServer {
    runner: Runner,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    host: String,
    command: String,
    #[serde(default)]
    arguments: Option<Values>,
}

/// Values by name. A list is accepted, too, because models can be held to it: the schemas that they support have no
/// objects with arbitrary names.
#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    Object(Map<String, Value>),
    List(Vec<Named>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    value: Value,
}

impl Values {
    fn by_name(self) -> Result<Map<String, Value>, String> {
        let list = match self {
            Self::Object(values) => return Ok(values),
            Self::List(list) => list,
        };
        let mut values = Map::new();
        for Named { name, value } in list {
            let repeated = format!("`{}` has two values", name.escape_debug());
            if values.insert(name, value).is_some() {
                return Err(repeated);
            }
        }
        Ok(values)
    }
}

impl SshServer {
    /// Creates a server for the commands that a policy allows.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            runner: Runner::new(policy),
        }
    }

    /// Returns the command that `run` would send, after all checks that `run` makes before. So a person is asked only
    /// about calls that can run.
    fn check(&self, arguments: Map<String, Value>) -> Result<String, String> {
        let wanted: Run = parsed(arguments)?;
        let values = wanted.arguments.map(Values::by_name).transpose()?;
        let policy = self.runner.policy();
        let (_, argv) = policy
            .decide(&wanted.host, &wanted.command, &values.unwrap_or_default())
            .map_err(|refusal| refusal.to_string())?;
        let template = policy.templates.get(&wanted.command);
        let tool = template.map(|template| tool_of(template.effect));
        Ok(json!({"tool": tool, "argv": argv}).to_string())
    }

    async fn run(&self, effect: Effect, arguments: Map<String, Value>) -> Result<String, String> {
        let wanted: Run = parsed(arguments)?;
        let template = self.runner.policy().templates.get(&wanted.command);
        if let Some(template) = template
            && template.effect != effect
        {
            let right = tool_of(template.effect);
            return Err(format!("call `{right}` for this command"));
        }
        let values = wanted.arguments.map(Values::by_name).transpose()?;
        let values = values.unwrap_or_default();
        let outcome = self
            .runner
            .run(&wanted.host, &wanted.command, &values)
            .await?;
        serde_json::to_string(&outcome).map_err(|error| error.to_string())
    }

    fn hosts(&self) -> String {
        let policy = self.runner.policy();
        let mut described = Map::new();
        let mut hosts = Vec::new();
        for target in policy.targets.values() {
            let mut names = Vec::new();
            for (name, template) in policy.commands_of(target) {
                names.push(name);
                let arguments = template.arguments.iter();
                let arguments: Map<_, _> = arguments
                    .map(|(name, argument)| (name.clone(), json!(argument.expected())))
                    .collect();
                described.insert(
                    name.to_owned(),
                    json!({
                        "command": template.shown(), "description": template.description,
                        "tool": tool_of(template.effect), "arguments": arguments,
                    }),
                );
            }
            hosts.push(json!({"host": target.name, "group": target.group, "commands": names}));
        }
        json!({"hosts": hosts, "commands": described}).to_string()
    }
}

/// Returns the tool that runs commands with this effect.
fn tool_of(effect: Effect) -> &'static str {
    let tool = RUNNING.iter().find(|(_, of, _)| *of == effect);
    tool.map_or("run", |(name, _, _)| name)
}

impl ToolServer for SshServer {
    const NAME: &'static str = "tarsy-ssh";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(tools(self.runner.policy()))
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let answer = match tool {
            "hosts" if arguments.is_empty() => self.hosts(),
            "hosts" => return Err("`hosts` takes no arguments".to_owned()),
            "check" => self.check(arguments)?,
            _ => match RUNNING.iter().find(|(name, _, _)| *name == tool) {
                Some((_, effect, _)) => self.run(*effect, arguments).await?,
                None => return Ok(None),
            },
        };
        Ok(Some(answer))
    }
}

fn tools(policy: &Policy) -> Vec<Tool> {
    let read = || ToolAnnotations::new().read_only(true).open_world(false);
    let hosts = "List the hosts and the commands that each accepts.";
    let mut tools = vec![tool("hosts", hosts, json!({}), &[], read())];
    let check = "Say whether a command may run on a host, and by which tool. Nothing is run.";
    let name = || json!({"type": "string"});
    let any = json!({"host": name(), "command": name(), "arguments": arguments()});
    tools.push(tool("check", check, any, &["host", "command"], read()));
    for (name, effect, description) in RUNNING {
        let (mut described, mut names, mut places) =
            (String::new(), BTreeSet::new(), BTreeSet::new());
        for target in policy.targets.values() {
            for (command, template) in policy.commands_of(target) {
                if template.effect == effect {
                    places.insert(target.name.as_str());
                    if names.insert(command) {
                        described.push_str(&line(command, template));
                    }
                }
            }
        }
        if names.is_empty() {
            continue;
        }
        let mut host = json!({"type": "string", "description": "host by its name"});
        if places.len() <= LISTED {
            host["enum"] = json!(places);
        }
        let annotations = match effect {
            Effect::ReadOnly => read(),
            changing => changing.annotations(),
        };
        let properties = json!({
            "host": host,
            "command": {"type": "string", "enum": names},
            "arguments": arguments(),
        });
        let description = format!("{description} Commands:{described}");
        tools.push(tool(
            name,
            description,
            properties,
            &["host", "command"],
            annotations,
        ));
    }
    tools
}

fn arguments() -> Value {
    json!({
        "type": ["object", "array"], "items": {"type": "object"},
        "description": "values by name, as the command asks for them; also as a list of {name, value}",
    })
}

/// Formats a command for the description of a tool.
fn line(name: &str, template: &crate::template::Template) -> String {
    let mut line = format!("\n- {name}: `{}`", template.shown());
    if !template.description.is_empty() {
        line.push_str(". ");
        line.push_str(&template.description);
    }
    for (name, argument) in &template.arguments {
        let space = if argument.description.is_empty() {
            ""
        } else {
            " "
        };
        line.push_str(&format!(
            "; {name}: {}{space}{}",
            argument.description,
            argument.expected()
        ));
    }
    line
}
