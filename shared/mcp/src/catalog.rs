//! Tools of one server, with validators for their arguments.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use rmcp::model::Tool;
use serde_json::Value;
use tarsy_model::visible;

use crate::argument_check;
use crate::error::Refusal;
use crate::redact::Redactor;
use crate::settings::ServerSettings;
use crate::tool::{Hints, ToolInfo, ToolPin, declared_effect, effect_of};

/// Longest instructions of a server that a model is shown, in bytes. Of 27 servers with instructions, 24 had shorter
/// ones.
const MOST_INSTRUCTION_BYTES: usize = 4_000;
/// Longest name of a tool, in bytes; the protocol recommends 128.
const MOST_NAME_BYTES: usize = 256;

/// A server's tool list at one moment.
pub(crate) struct Catalog {
    entries: Vec<Entry>,
    instructions: Option<String>,
}

pub(crate) struct Entry {
    pub(crate) info: ToolInfo,
    /// Whether configuration or annotations state its effect.
    pub(crate) is_classified: bool,
    /// Schema as the server sent it. Compiled at the tool's first call.
    schema: Value,
    /// `None`: the schema can't be compiled.
    validator: OnceLock<Option<jsonschema::Validator>>,
    redactor: Redactor,
}

impl Catalog {
    /// Creates a catalog. `instructions` is the server's text about its use.
    pub(crate) fn new(
        tools: Vec<Tool>,
        instructions: Option<String>,
        settings: &ServerSettings,
        redactor: &Redactor,
    ) -> Self {
        let mut seen = HashSet::new();
        let entries = tools
            .into_iter()
            // Of several tools with the same name, only the first is kept.
            .filter(|tool| seen.insert(tool.name.clone()))
            .filter(|tool| has_usable_name(tool, settings, redactor))
            .map(|tool| Entry::new(tool, settings, redactor))
            .collect();
        Self {
            entries,
            instructions: instructions.and_then(|text| bounded_instructions(&text, redactor)),
        }
    }

    /// Returns the server's text about its use: masked, at most 4,000 bytes.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    pub(crate) fn get(&self, tool: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.info.name == tool)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }
}

impl Entry {
    fn new(tool: Tool, settings: &ServerSettings, redactor: &Redactor) -> Self {
        let description = tool.description.as_deref().unwrap_or_default();
        let schema = Value::Object(Arc::unwrap_or_clone(tool.input_schema));
        let hints = tool
            .annotations
            .as_ref()
            .map_or_else(Hints::default, |annotations| Hints {
                read_only: annotations.read_only_hint,
                destructive: annotations.destructive_hint,
                idempotent: annotations.idempotent_hint,
            });
        let pin = ToolPin::new(&tool.name, description, &schema);
        let info = ToolInfo {
            server: settings.id.clone(),
            effect: effect_of(&tool.name, hints, &settings.effects),
            description: redactor.brief(description),
            input_schema: redactor.json(schema.clone()),
            name: tool.name.into_owned(),
            pin,
        };
        Self {
            is_classified: declared_effect(&info.name, hints, &settings.effects).is_some(),
            info,
            schema,
            validator: OnceLock::new(),
            redactor: redactor.clone(),
        }
    }

    fn validator(&self) -> Option<&jsonschema::Validator> {
        self.validator.get_or_init(|| self.compile()).as_ref()
    }

    fn compile(&self) -> Option<jsonschema::Validator> {
        let (server, tool) = (&self.info.server, &self.info.name);
        argument_check::compile(&self.schema)
            .inspect_err(|error| {
                let error = self.redactor.brief(error);
                tracing::warn!(mcp.server = %server, mcp.tool = %tool, %error, "tool schema can't be used");
            })
            .ok()
    }

    /// Checks `arguments` against the tool's schema.
    pub(crate) fn check(&self, server: &str, arguments: &Value) -> Result<(), Refusal> {
        let (server, tool) = (server.to_owned(), self.info.name.clone());
        if !arguments.is_object() {
            let problems = vec!["arguments must be a JSON object".to_owned()];
            return Err(Refusal::InvalidArguments {
                server,
                tool,
                problems,
            });
        }
        let Some(validator) = self.validator() else {
            return Ok(());
        };
        let redacted = |text: &str| self.redactor.text(text);
        let problems = argument_check::problems(validator, arguments, redacted);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Refusal::InvalidArguments {
                server,
                tool,
                problems,
            })
        }
    }
}

fn bounded_instructions(text: &str, redactor: &Redactor) -> Option<String> {
    let mut text = redactor.brief(&visible(text.trim()));
    if text.len() > MOST_INSTRUCTION_BYTES {
        text.truncate(text.floor_char_boundary(MOST_INSTRUCTION_BYTES));
        text.push_str(" [cut]");
    }
    (!text.is_empty()).then_some(text)
}

/// Whether a tool can be offered under its name. A name that holds a secret is not offered. It can't be masked, because
/// the server knows no other name.
fn has_usable_name(tool: &Tool, settings: &ServerSettings, redactor: &Redactor) -> bool {
    let masked = redactor.text(&tool.name);
    let usable = !tool.name.is_empty()
        && tool.name.len() <= MOST_NAME_BYTES
        // People who approve a call must be able to read the name.
        && !tool.name.contains('\n')
        && visible(&tool.name) == tool.name
        && masked == tool.name;
    if !usable {
        let name: String = visible(&masked).chars().take(MOST_NAME_BYTES).collect();
        tracing::warn!(mcp.server = %settings.id, mcp.tool = ?name, "MCP tool is left out: its name holds a secret, characters that can't be seen or look like others, or too much text");
    }
    usable
}

#[cfg(test)]
mod tests {
    use tarsy_masking::Masker;

    use super::*;
    use crate::settings::{StdioSettings, TransportSettings};

    #[test]
    fn a_tool_whose_name_can_not_be_read_is_left_out() {
        let masker = Arc::new(Masker::group("all").unwrap());
        let redactor = Redactor::new(Arc::clone(&masker));
        let transport = TransportSettings::Stdio(StdioSettings::default());
        let settings = ServerSettings::new("k8s", transport, masker);
        let names = [
            "pods_list",
            "pods_list\u{200b}",
            "\u{202e}tsil",
            "p\u{43e}ds_list",
            "pods\nlist",
            "pods  list",
            "größe",
        ];
        let tools = names.map(|name| Tool::new(name, "", Arc::new(serde_json::Map::new())));
        let catalog = Catalog::new(tools.into(), None, &settings, &redactor);
        let kept: Vec<&str> = catalog
            .entries()
            .map(|entry| entry.info.name.as_str())
            .collect();
        assert_eq!(kept, ["pods_list", "pods  list", "größe"]);
    }
}
