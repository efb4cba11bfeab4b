//! The tools of one server, with what is needed to check a call.

use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::Value;

use crate::error::Refusal;
use crate::redact::Redactor;
use crate::settings::ServerSettings;
use crate::tool::{Hints, ToolInfo, ToolPin, effect_of};

const SHOWN_PROBLEMS: usize = 8;
const SHOWN_BYTES: usize = 300;

/// A server's tool list at one moment.
pub(crate) struct Catalog {
    entries: Vec<Entry>,
}

/// One tool.
pub(crate) struct Entry {
    pub(crate) info: ToolInfo,
    /// `None`: the schema can't be compiled.
    validator: Option<jsonschema::Validator>,
}

impl Catalog {
    pub(crate) fn new(tools: Vec<Tool>, settings: &ServerSettings, redactor: &Redactor) -> Self {
        let entries = tools
            .into_iter()
            .map(|tool| Entry::new(tool, settings, redactor))
            .collect();
        Self { entries }
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
        let pin = ToolPin::of(&tool.name, description, &schema);
        // Linear-time patterns only: the schema is the server's text.
        let validator = jsonschema::options()
            .with_pattern_options(jsonschema::PatternOptions::regex())
            .build(&schema)
            .inspect_err(|error| {
                tracing::warn!(mcp.server = %settings.id, mcp.tool = %tool.name, %error, "tool schema can't be used");
            })
            .ok();
        let info = ToolInfo {
            server: settings.id.clone(),
            effect: effect_of(&tool.name, hints, &settings.effects),
            description: redactor.text(description),
            input_schema: redactor.json(schema),
            name: tool.name.into_owned(),
            pin,
        };
        Self { info, validator }
    }

    /// Whether arguments can be checked at all.
    pub(crate) const fn is_checkable(&self) -> bool {
        self.validator.is_some()
    }

    /// Whether `arguments` match the tool's schema.
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
        let Some(validator) = &self.validator else {
            return Err(Refusal::UnusableSchema { server, tool });
        };
        let problems: Vec<String> = validator
            .iter_errors(arguments)
            .take(SHOWN_PROBLEMS)
            .map(|error| {
                let place = error.instance_path().to_string();
                let mut text = if place.is_empty() {
                    error.to_string()
                } else {
                    format!("{place}: {error}")
                };
                text.truncate(text.floor_char_boundary(SHOWN_BYTES));
                text
            })
            .collect();
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
