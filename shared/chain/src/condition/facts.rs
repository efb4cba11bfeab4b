//! Values that conditions read. They are converted on access, because outputs can be large and most are never read.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Object, Serde};
use serde_json::{Value as Json, json};
use tarsy_model::{AlertProcessingData, StageStatus};

/// The alert and the settled stages, by name.
#[derive(Clone, Debug)]
pub struct Facts {
    alert: Arc<Json>,
    stages: Vec<(String, Arc<StageFact>)>,
}

/// A settled stage, as conditions see it.
#[derive(Debug)]
pub(crate) struct StageFact {
    pub(crate) status: StageStatus,
    /// Output, if the stage or one of its branches completed.
    pub(crate) output: Option<Json>,
    pub(crate) error: Option<String>,
}

impl Facts {
    pub(crate) fn new(alert: Json) -> Self {
        Self {
            alert: Arc::new(alert),
            stages: Vec::new(),
        }
    }

    /// Creates facts with only the alert, before any stage has run.
    #[must_use]
    pub fn from_alert(alert_type: &str, severity: &str, data: Json) -> Self {
        Self::new(json!({"type": alert_type, "severity": severity, "data": data}))
    }

    /// Creates facts from the input of a stage: the alert and the stages it needs, directly or indirectly.
    #[must_use]
    pub fn from_data(data: &AlertProcessingData) -> Self {
        let mut facts = Self::new(json!({
            "type": data.alert_type, "severity": data.severity, "data": data.alert_data,
        }));
        for stage in &data.stage_outputs {
            let completed = stage.status == StageStatus::Completed;
            let fact = StageFact {
                status: stage.status,
                output: stage.output.clone().filter(|_| completed),
                error: stage.error.clone(),
            };
            facts.set(&stage.stage_name, fact);
        }
        facts
    }

    /// Adds or replaces a stage.
    pub(crate) fn set(&mut self, name: &str, fact: StageFact) {
        self.stages.retain(|(known, _)| known != name);
        self.stages.push((name.to_owned(), Arc::new(fact)));
    }

    /// Returns whether the stage settled without an output, or is unknown.
    pub(super) fn has_no_output(&self, name: &str) -> bool {
        let fact = self.stages.iter().find(|(known, _)| known == name);
        fact.is_none_or(|(_, fact)| fact.output.is_none())
    }

    pub(crate) fn context(&self) -> Value {
        Value::from_object(Root(self.clone()))
    }
}

#[derive(Debug)]
struct Root(Facts);

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "alert" => Some(Value::from_object(Alert(Arc::clone(&self.0.alert)))),
            "stages" => Some(Value::from_object(Stages(self.0.stages.clone()))),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Alert(Arc<Json>);

impl Object for Alert {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0
            .get(key.as_str()?)
            .map(|json| Value::from(Serde(json)))
    }
}

#[derive(Debug)]
struct Stages(Vec<(String, Arc<StageFact>)>);

impl Object for Stages {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        let (_, fact) = self.0.iter().find(|(known, _)| known == name)?;
        Some(Value::from_object(Stage(Arc::clone(fact))))
    }
}

#[derive(Debug)]
struct Stage(Arc<StageFact>);

impl Object for Stage {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let fact = &self.0;
        let output = |name: &str| fact.output.as_ref().and_then(|output| output.get(name));
        Some(match key.as_str()? {
            "status" => Value::from(fact.status.as_str()),
            "text" => output("result")
                .and_then(Json::as_str)
                .map_or(Value::from(()), Value::from),
            "data" => output("data").map_or(Value::from(()), |json| Value::from(Serde(json))),
            "branches" => match output("branches") {
                Some(branches) => Value::from(Serde(branches)),
                None => Value::from(Vec::<Value>::new()),
            },
            "verdict" => output("verdict")
                .and_then(|check| check.get("verdict"))
                .and_then(Json::as_str)
                .map_or(Value::from(()), Value::from),
            "label" => output("label")
                .and_then(Json::as_str)
                .map_or(Value::from(()), Value::from),
            "refuted" => output("data")
                .and_then(|data| data.get("refuted"))
                .map_or(Value::from(()), |json| Value::from(Serde(json))),
            "error" => fact.error.as_deref().map_or(Value::from(()), Value::from),
            _ => return None,
        })
    }
}
