//! Structured output of an agent: claims with the calls that support them, data if the stage asks for some, and one of
//! the chain's labels.

use serde_json::{Map, Value, json};

use crate::OutputSchema;
use crate::output::json_in;

/// `output_schema` of an agent that is asked only for claims.
pub const CLAIMS: &str = "claims";

/// Schema of the output that an agent is asked for after its conclusion.
#[derive(Debug)]
pub struct AnalysisSchema {
    members: Vec<(&'static str, OutputSchema)>,
    labels: Vec<String>,
    shown: String,
}

impl AnalysisSchema {
    /// Compiles an `output_schema`: [`CLAIMS`], or the JSON Schema of `data`.
    ///
    /// # Errors
    ///
    /// The reason why it is neither.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let mut members = vec![(CLAIMS, OutputSchema::compile(&claims_schema())?)];
        let mut shown = format!(
            "`claims`, which must match this JSON Schema:\n\n{:#}",
            claims_schema()
        );
        match schema {
            Value::String(name) if name == CLAIMS => {}
            Value::String(_) => {
                return Err("it must be `claims`, or a mapping such as `{type: object}`".to_owned());
            }
            schema => {
                members.push(("data", OutputSchema::compile(schema)?));
                shown.push_str(&format!(
                    "\n\n`data`, which must match this JSON Schema:\n\n{schema:#}"
                ));
            }
        }
        Ok(Self {
            members,
            labels: Vec::new(),
            shown,
        })
    }

    /// Compiles what a stage asks for: its `output_schema`, if any, and one of the labels, if any. Returns `None` if
    /// it asks for nothing.
    ///
    /// # Errors
    ///
    /// As [`Self::compile`].
    pub fn for_stage(schema: Option<&Value>, labels: &[String]) -> Result<Option<Self>, String> {
        let compiled = schema.map(Self::compile).transpose()?;
        if labels.is_empty() {
            return Ok(compiled);
        }
        let mut combined = compiled.unwrap_or_else(|| Self {
            members: Vec::new(),
            labels: Vec::new(),
            shown: String::new(),
        });
        if !combined.shown.is_empty() {
            combined.shown.push_str("\n\n");
        }
        combined.shown.push_str(&format!(
            "`label`: exactly one of `{}`, the one that fits the conclusion best.",
            labels.join("`, `")
        ));
        combined.labels = labels.to_vec();
        Ok(Some(combined))
    }

    /// Returns whether claims are asked for.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        !self.members.is_empty()
    }

    /// Returns whether a label is asked for.
    #[must_use]
    pub fn has_label(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Returns the description of the output's members, with their schemas, for the model.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Parses and validates the output in a model's reply: `{claims}` or `{claims, data}`. If there are labels, it
    /// also contains `label`, or `label_error` with the reason why there is none. A reply with only a label need not
    /// be JSON.
    ///
    /// # Errors
    ///
    /// The reason why the output does not match, for the model.
    pub fn read(&self, reply: &str) -> Result<Value, String> {
        let value = json_in(reply);
        if !self.has_claims() {
            let label = match &value {
                Some(Value::Object(members)) => members.get("label").cloned(),
                Some(Value::String(word)) => Some(json!(word)),
                _ => Some(json!(reply)),
            };
            return Ok(Value::Object(Map::from_iter([self.label(label)])));
        }
        let Some(value) = value else {
            return Err("the reply holds no JSON value".to_owned());
        };
        let Value::Object(mut members) = value else {
            return Err("the reply is no JSON object".to_owned());
        };
        let mut output = Map::new();
        if self.has_label() {
            output.extend([self.label(members.remove("label"))]);
        }
        for (name, schema) in &self.members {
            let name = *name;
            let Some(member) = members.remove(name) else {
                return Err(format!("`{name}` is missing"));
            };
            schema
                .check(&member)
                .map_err(|why| format!("in `{name}`: {why}"))?;
            output.insert(name.to_owned(), member);
        }
        match members.keys().next() {
            Some(name) => Err(format!("`{name}` is not asked for")),
            None => Ok(Value::Object(output)),
        }
    }

    /// Returns the label in the reply, or the reason why it is not a label of the chain.
    fn label(&self, value: Option<Value>) -> (String, Value) {
        let word = value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let word = word.trim().trim_matches(['`', '"', '\'', '*', '.']);
        let known = self
            .labels
            .iter()
            .find(|label| label.eq_ignore_ascii_case(word));
        match known {
            Some(label) => ("label".to_owned(), json!(label)),
            None => {
                let fault = match word.chars().count() {
                    0 => "`label` is missing".to_owned(),
                    1..=40 => format!("`{word}` is no label"),
                    _ => "the reply is no label".to_owned(),
                };
                let why = format!("{fault}; the labels are `{}`", self.labels.join("`, `"));
                ("label_error".to_owned(), json!(why))
            }
        }
    }
}

fn claims_schema() -> Value {
    json!({
        "type": "array",
        "maxItems": 30,
        "items": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 600},
                "calls": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 40}},
            },
            "required": ["text", "calls"],
            "additionalProperties": false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_asked_for_alone_or_with_data() {
        let claim = json!({"text": "It is full.", "calls": ["c1"]});
        let alone = AnalysisSchema::compile(&json!("claims")).expect("claims");
        assert!(!alone.shown().contains("`data`"));
        let claims = json!({"claims": [claim]});
        assert_eq!(alone.read(&claims.to_string()), Ok(claims.clone()));

        let data = json!({"$ref": "#/$defs/host", "$defs": {"host": {"type": "string"}}});
        let with_data = AnalysisSchema::compile(&data).expect("a schema");
        assert!(with_data.shown().contains("`data`"));
        let both = json!({"claims": [], "data": "db-1"});
        assert_eq!(with_data.read(&format!("```json\n{both}\n```")), Ok(both));
        for (reply, why) in [
            ("so it is".to_owned(), "the reply holds no JSON value"),
            ("[]".to_owned(), "the reply is no JSON object"),
            (claims.to_string(), "`data` is missing"),
            (json!({"data": "x"}).to_string(), "`claims` is missing"),
            (
                json!({"claims": "all", "data": "x"}).to_string(),
                "in `claims`: ",
            ),
            (
                json!({"claims": [{"text": ""}], "data": "x"}).to_string(),
                "in `claims`: /0",
            ),
            (json!({"claims": [], "data": 7}).to_string(), "in `data`: "),
            (
                json!({"claims": [], "data": "x", "more": 1}).to_string(),
                "`more` is not asked for",
            ),
        ] {
            let error = with_data.read(&reply).expect_err(&reply);
            assert!(error.contains(why), "{reply}: {error}");
        }
    }

    #[test]
    fn a_label_is_read_from_every_form_of_reply_and_never_invented() {
        let labels = ["noise", "watch", "action"].map(str::to_owned);
        let schema = AnalysisSchema::for_stage(None, &labels)
            .expect("valid")
            .expect("labels");
        assert!(!schema.has_claims() && schema.shown().contains("`noise`, `watch`, `action`"));
        for reply in [
            r#"{"label": "watch"}"#,
            "Here:\n```json\n{\"label\": \"Watch\"}\n```",
            "watch",
            "\"watch\"",
            "`watch`.",
        ] {
            assert_eq!(schema.read(reply), Ok(json!({"label": "watch"})), "{reply}");
        }
        for (reply, why) in [
            (
                r#"{"label": "urgent"}"#,
                "`urgent` is no label; the labels are `noise`",
            ),
            (r#"{"label": ["noise"]}"#, "`label` is missing"),
            (r#"{"verdict": "noise"}"#, "`label` is missing"),
            ("", "`label` is missing"),
            ("noise or watch", "`noise or watch` is no label"),
            (&"it is noise ".repeat(9), "the reply is no label"),
        ] {
            let read = schema.read(reply).expect("an output");
            assert_eq!(read.get("label"), None, "{reply}");
            let error = read["label_error"].as_str().expect("a reason");
            assert!(error.starts_with(why), "{reply}: {error}");
        }
    }

    #[test]
    fn claims_stay_where_the_label_is_wrong() {
        let labels = ["noise".to_owned()];
        let schema = AnalysisSchema::for_stage(Some(&json!("claims")), &labels)
            .expect("valid")
            .expect("claims and labels");
        let shown = schema.shown();
        assert!(shown.contains("`claims`, which") && shown.contains("`label`: exactly"));
        let both = json!({"claims": [], "label": "noise"});
        assert_eq!(schema.read(&both.to_string()), Ok(both));
        let wrong = schema
            .read(r#"{"claims": [], "label": 7}"#)
            .expect("claims");
        assert_eq!(wrong["claims"], json!([]));
        assert!(wrong["label_error"].is_string() && wrong.get("label").is_none());
        assert!(schema.read(r#"{"label": "noise"}"#).is_err());
        assert!(AnalysisSchema::for_stage(None, &[]).is_ok_and(|schema| schema.is_none()));
    }

    #[test]
    fn anything_else_is_no_output_schema() {
        for schema in [json!("claim"), json!(["claims"]), json!({"type": "objekt"})] {
            assert!(AnalysisSchema::compile(&schema).is_err(), "{schema}");
        }
    }
}
