//! Lists an agent's tools with what it may call, for people.

use serde::Serialize;

use crate::agent_tools::{AgentTools, Granted};
use crate::catalog::{Catalog, Entry};
use crate::error::CallError;
use crate::tool::ToolInfo;

/// Whether an agent may call a tool, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// It is offered to the model and called.
    Allowed,
    /// The configuration's subset of the server's tools leaves it out.
    OutsideSubset,
    /// It can change something, and the agent is not allowed to.
    Destructive,
}

/// A tool with its admission.
#[derive(Clone, Debug)]
pub struct SurveyedTool {
    /// The tool.
    pub tool: ToolInfo,
    /// Whether the agent may call it.
    pub admission: Admission,
    /// Whether configuration or the server's annotations say what it does; otherwise its effect is the default.
    pub is_classified: bool,
}

/// One server of an agent.
#[derive(Debug)]
pub struct ServerSurvey {
    /// Server id.
    pub server: String,
    /// Every tool, as the server lists them; or why there is no list.
    pub tools: Result<Vec<SurveyedTool>, CallError>,
    /// What the server wrote last on stderr, masked, if there is no list.
    pub stderr: Option<String>,
    /// Tools of the agent's subset that the server does not have.
    pub missing: Vec<String>,
}

impl AgentTools {
    /// Every tool of the agent's servers, those it may not call included. Starts servers as
    /// needed; for people only, a model never sees it.
    pub async fn survey(&self) -> Vec<ServerSurvey> {
        let surveys = self.granted.iter().map(|granted| async {
            let server = granted.connection.id().to_owned();
            match granted.connection.catalog().await {
                Ok(catalog) => ServerSurvey {
                    server,
                    missing: missing(granted, &catalog),
                    stderr: None,
                    tools: Ok(catalog
                        .entries()
                        .map(|entry| SurveyedTool {
                            tool: entry.info.clone(),
                            admission: self.admission(granted, entry),
                            is_classified: entry.is_classified,
                        })
                        .collect()),
                },
                Err(error) => ServerSurvey {
                    server,
                    missing: Vec::new(),
                    tools: Err(error),
                    stderr: granted.connection.status().stderr,
                },
            }
        });
        futures::future::join_all(surveys).await
    }

    /// The verdict, in the order in which a call is refused.
    fn admission(&self, granted: &Granted, entry: &Entry) -> Admission {
        let subset = granted.tools.as_ref();
        if subset.is_some_and(|tools| !tools.contains(&entry.info.name)) {
            Admission::OutsideSubset
        } else if !self.may_act(granted, entry) {
            Admission::Destructive
        } else {
            Admission::Allowed
        }
    }
}

fn missing(granted: &Granted, catalog: &Catalog) -> Vec<String> {
    let named = granted.tools.iter().flatten();
    named
        .filter(|tool| catalog.get(tool).is_none())
        .cloned()
        .collect()
}
