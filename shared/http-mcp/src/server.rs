//! Serves the configured requests as tools.

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use tarsy_egress::{Response, only_to};
use tarsy_mcp_server::{Argument, ArgumentType, ToolServer, tool};

use crate::endpoint::Endpoint;
use crate::file::Method;
use crate::policy::Policy;

/// Maximum length of an error answer that is shown to the model, in characters.
const LONGEST_REASON: usize = 600;

/// MCP server with one tool for each request that a [`Policy`] allows.
#[derive(Debug)]
pub struct HttpServer {
    policy: Policy,
    tools: Vec<Tool>,
}

impl HttpServer {
    /// Creates a server for these requests.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let tools = policy.endpoints.iter();
        let tools = tools.map(|(name, endpoint)| described(name, endpoint));
        Self {
            tools: tools.collect(),
            policy,
        }
    }
}

impl ToolServer for HttpServer {
    const NAME: &'static str = "tarsy-http";

    async fn list(&self) -> Result<Vec<Tool>, String> {
        Ok(self.tools.clone())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Option<String>, String> {
        match self.policy.endpoints.get(tool) {
            Some(endpoint) => call(endpoint, &arguments).await.map(Some),
            None => Ok(None),
        }
    }
}

async fn call(endpoint: &Endpoint, arguments: &Map<String, Value>) -> Result<String, String> {
    let request = endpoint.request(arguments)?;
    let target = &endpoint.target;
    let mut headers = target.headers.clone();
    if request.body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let written = request.body.map_or(String::new(), |body| body.to_string());
    let client = &target.client;
    let sent = match endpoint.tool.method {
        Method::Get => {
            client
                .get(request.url, only_to(&target.base, &headers))
                .await
        }
        Method::Post => client.post(request.url, headers, written).await,
        Method::Put => client.put(request.url, headers, written).await,
    };
    let response = sent.map_err(|error| format!("{} does not answer: {error}", target.name))?;
    if !response.status.is_success() {
        let reason: String = text(&response).chars().take(LONGEST_REASON).collect();
        let (name, status) = (&target.name, response.status.as_u16());
        return Err(format!("{name} answers HTTP {status}: {reason}"));
    }
    Ok(cut(kept(endpoint, &response)?, endpoint.max_bytes))
}

/// Returns the part of an answer that `keep` selects, or the whole answer without `keep`.
fn kept(endpoint: &Endpoint, response: &Response) -> Result<String, String> {
    let Some(keep) = &endpoint.keep else {
        return Ok(text(response));
    };
    let name = &endpoint.target.name;
    let document: Value = serde_json::from_slice(&response.body)
        .map_err(|_| format!("the answer of {name} is no JSON, of which a part could be kept"))?;
    let found = keep.query(&document).all();
    match found.as_slice() {
        [] => Ok(format!("the answer has nothing at {keep}")),
        [one] => Ok(one.to_string()),
        several => Ok(json!(several).to_string()),
    }
}

fn text(response: &Response) -> String {
    String::from_utf8_lossy(&response.body).trim().to_owned()
}

fn cut(mut text: String, most: usize) -> String {
    let length = text.len();
    if length > most {
        text.truncate(text.floor_char_boundary(most));
        text.push_str(&format!("\n[cut: {most} of {length} bytes]"));
    }
    text
}

fn described(name: &str, endpoint: &Endpoint) -> Tool {
    let wanted = &endpoint.tool;
    let arguments = wanted.arguments.iter();
    let properties = arguments.map(|(name, argument)| (name.clone(), schema(argument)));
    let required: Vec<&str> = endpoint.required.iter().map(String::as_str).collect();
    // The API may belong to anyone, so its answers count as coming from outside.
    let hints = wanted.effect.annotations().open_world(true);
    let (name, description) = (name.to_owned(), wanted.description.clone());
    tool(name, description, properties.collect(), &required, hints)
}

fn schema(argument: &Argument) -> Value {
    let description = format!("{} {}", argument.description, argument.expected());
    let mut schema = match argument.kind {
        ArgumentType::Integer => {
            json!({"type": "integer", "minimum": argument.min, "maximum": argument.max})
        }
        _ if !argument.one_of.is_empty() => json!({"type": "string", "enum": argument.one_of}),
        _ => json!({"type": "string", "maxLength": argument.max_length}),
    };
    schema["description"] = description.trim().into();
    schema
}

#[cfg(test)]
mod tests;
