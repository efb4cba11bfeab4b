//! The client's side of the protocol: capabilities, notifications, elicitation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ProtocolVersion,
    TASKS_EXTENSION_ID,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Map, Value};

use crate::greeting::Greeting;
use crate::settings::Elicitation;

/// A client of one server. It offers no sampling and no roots, and elicitation only if that is configured. It notes
/// when the server's tools have changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// Id of the server it is connected to.
    server: Arc<str>,
    tools_changed: Arc<AtomicBool>,
    /// Whether a change was announced and is not handled yet.
    announced: Arc<AtomicBool>,
    elicitation: Elicitation,
    greeting: Greeting,
}

impl Client {
    /// Creates a client for this server. `elicitation` is how it answers the server's questions.
    pub(crate) fn new(server: &str, elicitation: Elicitation, greeting: Greeting) -> Self {
        Self {
            server: server.into(),
            tools_changed: Arc::default(),
            announced: Arc::default(),
            elicitation,
            greeting,
        }
    }

    /// Id of the server.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Returns whether the tool list has changed since the last call.
    pub(crate) fn take_tools_changed(&self) -> bool {
        self.tools_changed.swap(false, Ordering::AcqRel)
    }

    /// Marks the tool list as changed, so that it is fetched again.
    pub(crate) fn set_tools_changed(&self) {
        self.tools_changed.store(true, Ordering::Release);
    }

    /// Returns whether a change that was just received must be handled. It is ignored while an earlier one is pending.
    pub(crate) fn announce_tools_changed(&self) -> bool {
        !self.announced.swap(true, Ordering::AcqRel)
    }

    fn answer(&self, request: &ElicitRequestParams) -> ElicitResult {
        let defaults = match (self.elicitation, request) {
            (
                Elicitation::AcceptDefaults,
                ElicitRequestParams::FormElicitationParams {
                    requested_schema, ..
                },
            ) => serde_json::to_value(requested_schema)
                .ok()
                .and_then(|schema| defaults(&schema)),
            _ => None,
        };
        match defaults {
            Some(content) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
            }
            None => ElicitResult::new(ElicitationAction::Decline),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        // Servers of earlier revisions do not support this kind of task.
        if self.greeting == Greeting::Discovery {
            let tasks = (TASKS_EXTENSION_ID.to_owned(), Map::new());
            capabilities.extensions = Some([tasks].into_iter().collect());
        }
        if self.elicitation == Elicitation::AcceptDefaults {
            let forms = FormElicitationCapability::new();
            capabilities.elicitation = Some(ElicitationCapability::new().with_form(forms));
        }
        ClientConfig::new(
            capabilities,
            Implementation::new("tarsy", env!("CARGO_PKG_VERSION")),
        )
        // Later revisions have no handshake. A server may refuse `initialize` with one of them.
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let answer = self.answer(&request);
        tracing::info!(action = ?answer.action, "an MCP server asked for input in the middle of a call");
        Ok(answer)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.announced.store(false, Ordering::Release);
        self.set_tools_changed();
    }
}

/// Returns the defaults of a form. `None` if a required field has no default.
fn defaults(schema: &Value) -> Option<Map<String, Value>> {
    let fields = schema.get("properties")?.as_object()?;
    let given: Map<String, Value> = fields
        .iter()
        .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
        .collect();
    let required = schema.get("required").and_then(Value::as_array);
    let complete = required
        .into_iter()
        .flatten()
        .all(|name| name.as_str().is_some_and(|name| given.contains_key(name)));
    complete.then_some(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn form(required: &[&str]) -> ElicitRequestParams {
        let request = json!({
            "mode": "form", "message": "Go on?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "John Doe"},
                    "count": {"type": "integer", "default": 3},
                    "sure": {"type": "boolean"},
                },
                "required": required,
            },
        });
        serde_json::from_value(request).expect("a request")
    }

    #[test]
    fn questions_are_declined_unless_configured() {
        let client = Client::default();
        assert_eq!(client.answer(&form(&[])).action, ElicitationAction::Decline);
        assert!(client.get_info().capabilities.elicitation.is_none());
    }

    #[test]
    fn defaults_are_accepted_only_where_they_are_the_whole_answer() {
        let client = Client::new("forms", Elicitation::AcceptDefaults, Greeting::Handshake);
        let answer = client.answer(&form(&["name"]));
        assert_eq!(answer.action, ElicitationAction::Accept);
        assert_eq!(
            answer.content,
            Some(json!({"name": "John Doe", "count": 3}))
        );
        let answer = client.answer(&form(&["name", "sure"]));
        assert_eq!(answer.action, ElicitationAction::Decline);
        let link = json!({"mode": "url", "message": "Sign in", "url": "https://example.com", "elicitationId": "1"});
        let link = serde_json::from_value(link).expect("a request");
        assert_eq!(client.answer(&link).action, ElicitationAction::Decline);
    }
}
