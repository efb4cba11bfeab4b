//! Recorded requests of the fake provider, in any format.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Wire format of a provider, with its base path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFormat {
    /// `/openai/v1/chat/completions`.
    #[serde(rename = "openai")]
    OpenAi,
    /// `/xai/v1/chat/completions`; errors have a different shape.
    Xai,
    /// `/anthropic/v1/messages`.
    Anthropic,
    /// `/gemini/v1beta/models/{model}:generateContent`, and `:streamGenerateContent`.
    Gemini,
    /// `/ollama/api/chat`.
    Ollama,
    /// OpenAI's Responses API, `/responses/v1/responses`.
    Responses,
    /// Bedrock, `/bedrock/model/{model}/converse`, and `/converse-stream`.
    Bedrock,
    /// `OpenAi` on Azure, `/azure/openai/deployments/{deployment}/chat/completions`.
    Azure,
    /// `Gemini` on Vertex, `/vertex/v1/projects/{}/locations/{}/publishers/google/models/{model}:generateContent`.
    VertexGemini,
    /// `Anthropic` on Vertex, `/vertex-claude/v1/../publishers/anthropic/models/{model}:rawPredict`.
    VertexClaude,
}

impl WireFormat {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::OpenAi,
        Self::Xai,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Responses,
        Self::Bedrock,
        Self::Azure,
        Self::VertexGemini,
        Self::VertexClaude,
    ];

    /// Returns the path of the base URL that a client is configured with.
    #[must_use]
    pub const fn base_path(self) -> &'static str {
        match self {
            Self::OpenAi => "/openai/v1/",
            Self::Xai => "/xai/v1/",
            Self::Anthropic => "/anthropic/v1/",
            Self::Gemini => "/gemini/v1beta/",
            Self::Ollama => "/ollama/",
            Self::Responses => "/responses/v1/",
            Self::Bedrock => "/bedrock/",
            Self::Azure => "/azure/",
            Self::VertexGemini => "/vertex/v1/",
            Self::VertexClaude => "/vertex-claude/v1/",
        }
    }

    /// Returns the format of the model's vendor for a format of a cloud.
    pub(super) const fn dialect(self) -> Self {
        match self {
            Self::Azure => Self::OpenAi,
            Self::VertexGemini => Self::Gemini,
            Self::VertexClaude => Self::Anthropic,
            format => format,
        }
    }

    /// Returns the format of a request path, and the model if the path names it.
    pub(super) fn of_path(path: &str) -> Option<(Self, Option<&str>)> {
        let format = Self::ALL
            .into_iter()
            .find(|format| path.starts_with(format.base_path()))?;
        let rest = &path[format.base_path().len()..];
        match format {
            Self::OpenAi | Self::Xai => (rest == "chat/completions").then_some((format, None)),
            Self::Anthropic => (rest == "messages").then_some((format, None)),
            Self::Ollama => (rest == "api/chat").then_some((format, None)),
            Self::Gemini => {
                let (model, method) = rest.strip_prefix("models/")?.rsplit_once(':')?;
                matches!(method, "generateContent" | "streamGenerateContent")
                    .then_some((format, Some(model)))
            }
            Self::Responses => (rest == "responses").then_some((format, None)),
            Self::Bedrock => {
                let (model, method) = rest.strip_prefix("model/")?.rsplit_once('/')?;
                matches!(method, "converse" | "converse-stream").then_some((format, Some(model)))
            }
            Self::Azure => {
                let rest = rest.strip_prefix("openai/deployments/")?;
                let deployment = rest.strip_suffix("/chat/completions")?;
                Some((format, Some(deployment)))
            }
            Self::VertexGemini | Self::VertexClaude => {
                let (_, rest) = rest.split_once("/publishers/")?;
                let (publisher, methods) = match format {
                    Self::VertexGemini => (
                        "google/models/",
                        ["generateContent", "streamGenerateContent"],
                    ),
                    _ => ("anthropic/models/", ["rawPredict", "streamRawPredict"]),
                };
                let (model, method) = rest.strip_prefix(publisher)?.rsplit_once(':')?;
                methods.contains(&method).then_some((format, Some(model)))
            }
        }
    }
}

/// A message of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenMessage {
    /// `system`, `user`, `assistant` or `tool`, in every format.
    pub role: String,
    /// All text of the message.
    pub text: String,
}

/// A recorded request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeenRequest {
    /// Position among all requests, from 0.
    pub sequence: usize,
    /// Format by path.
    pub format: WireFormat,
    /// Path and query.
    #[serde(default)]
    pub path: String,
    /// Requested model.
    pub model: String,
    /// The conversation.
    pub messages: Vec<SeenMessage>,
    /// Names of the offered tools.
    pub tools: Vec<String>,
    /// `X-Client-Request-Id`.
    pub request_id: Option<String>,
    /// Equal for two requests with the same path and body.
    pub fingerprint: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body as sent.
    pub body: Value,
    /// Whether a complete successful answer was sent.
    pub answered: bool,
}

impl SeenRequest {
    pub(super) fn parse(
        format: WireFormat,
        path: &str,
        model: Option<&str>,
        headers: &HeaderMap,
        body: Value,
    ) -> Self {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        let mut hasher = DefaultHasher::new();
        (format.base_path(), model, body.to_string()).hash(&mut hasher);
        let model = model
            .or_else(|| body.get("model").and_then(Value::as_str))
            .unwrap_or_default()
            .replace("%3A", ":");
        Self {
            sequence: 0,
            format,
            path: path.to_owned(),
            model,
            messages: messages(format, &body),
            tools: tools(&body),
            request_id: headers
                .iter()
                .find(|(name, _)| name == "x-client-request-id")
                .map(|(_, value)| value.clone()),
            fingerprint: format!("{:016x}", hasher.finish()),
            headers,
            body,
            answered: false,
        }
    }

    /// Returns a header's value by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the number of assistant turns in the conversation.
    #[must_use]
    pub fn assistant_turns(&self) -> usize {
        self.messages
            .iter()
            .filter(|message| message.role == "assistant")
            .count()
    }

    /// Whether any message contains the text.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.messages
            .iter()
            .any(|message| message.text.contains(text))
    }

    /// Returns the text of the last message.
    #[must_use]
    pub fn last_text(&self) -> &str {
        self.messages.last().map_or("", |message| &message.text)
    }
}

fn messages(format: WireFormat, body: &Value) -> Vec<SeenMessage> {
    let mut seen = Vec::new();
    let mut push = |role: &str, content: &Value| {
        let mut text = String::new();
        collect_text(content, &mut text);
        let role = match role {
            "model" => "assistant",
            "developer" => "system",
            role if text_is_tool_result(content) && role == "user" => "tool",
            role => role,
        };
        seen.push(SeenMessage {
            role: role.to_owned(),
            text,
        });
    };
    let list = match format.dialect() {
        WireFormat::Gemini => {
            if let Some(system) = body.get("systemInstruction") {
                push("system", system);
            }
            "contents"
        }
        WireFormat::Responses => {
            if let Some(system) = body.get("instructions") {
                push("system", system);
            }
            "input"
        }
        WireFormat::Anthropic | WireFormat::Bedrock => {
            if let Some(system) = body.get("system") {
                push("system", system);
            }
            "messages"
        }
        _ => "messages",
    };
    for message in body
        .get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        // In OpenAI's Responses API, an item that is not a message is a tool call or its result.
        let item = match message.get("type").and_then(Value::as_str) {
            Some("function_call") => "assistant",
            Some("function_call_output") => "tool",
            _ => "user",
        };
        let role = message.get("role").and_then(Value::as_str);
        let content = message.get("content").or_else(|| message.get("parts"));
        let content = content.or_else(|| message.get("output"));
        push(role.unwrap_or(item), content.unwrap_or(&Value::Null));
    }
    seen
}

/// Whether a user message in the format of Anthropic, Gemini or Bedrock contains tool results.
fn text_is_tool_result(content: &Value) -> bool {
    content.as_array().into_iter().flatten().any(|part| {
        part.get("functionResponse").is_some()
            || part.get("toolResult").is_some()
            || part.get("type").is_some_and(|kind| kind == "tool_result")
    })
}

/// Collects all text of a message's content: a string, or nested parts.
fn collect_text(content: &Value, text: &mut String) {
    match content {
        Value::String(plain) => text.push_str(plain),
        Value::Array(parts) => parts.iter().for_each(|part| collect_text(part, text)),
        Value::Object(part) => {
            for key in [
                "text",
                "content",
                "parts",
                "functionResponse",
                "toolResult",
                "response",
                "output",
                "result",
            ] {
                if let Some(inner) = part.get(key) {
                    collect_text(inner, text);
                }
            }
        }
        _ => {}
    }
}

fn tools(body: &Value) -> Vec<String> {
    let name = |tool: &Value| {
        let named = tool
            .pointer("/function/name")
            .or_else(|| tool.pointer("/toolSpec/name"))
            .or_else(|| tool.get("name"))?;
        named.as_str().map(str::to_owned)
    };
    let listed = body
        .get("tools")
        .or_else(|| body.pointer("/toolConfig/tools"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    listed
        .flat_map(
            |tool| match tool.get("functionDeclarations").and_then(Value::as_array) {
                Some(declared) => declared.iter().filter_map(name).collect::<Vec<_>>(),
                None => name(tool).into_iter().collect(),
            },
        )
        .collect()
}
