//! Structured output of an agent: claims, each with the calls that show it, and data if the stage asks for some.

use serde_json::{Map, Value, json};

use crate::OutputSchema;
use crate::output::json_in;

/// `output_schema` of an agent that is asked for claims and nothing else.
pub const CLAIMS: &str = "claims";

/// A compiled `output_schema` of an agent.
#[derive(Debug)]
pub struct AnalysisSchema {
    claims: OutputSchema,
    data: Option<OutputSchema>,
    shown: String,
}

impl AnalysisSchema {
    /// Compiles an `output_schema`: [`CLAIMS`], or the JSON Schema of `data`.
    ///
    /// # Errors
    ///
    /// Why it is neither.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let claims = OutputSchema::compile(&claims_schema())?;
        let mut shown = format!(
            "`claims`, which must match this JSON Schema:\n\n{:#}",
            claims_schema()
        );
        let data = match schema {
            Value::String(name) if name == CLAIMS => None,
            Value::String(_) => {
                return Err("it must be `claims`, or a mapping such as `{type: object}`".to_owned());
            }
            schema => Some(OutputSchema::compile(schema)?),
        };
        if data.is_some() {
            shown.push_str(&format!(
                "\n\n`data`, which must match this JSON Schema:\n\n{schema:#}"
            ));
        }
        Ok(Self {
            claims,
            data,
            shown,
        })
    }

    /// The members of the output with their schemas, as the model is shown them.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Parses and validates the output in a model's reply: `{claims}` or `{claims, data}`.
    ///
    /// # Errors
    ///
    /// Why there is none that matches, for the model.
    pub fn read(&self, reply: &str) -> Result<Value, String> {
        let Some(value) = json_in(reply) else {
            return Err("the reply holds no JSON value".to_owned());
        };
        let Value::Object(mut members) = value else {
            return Err("the reply is no JSON object".to_owned());
        };
        let mut output = Map::new();
        let of = std::iter::once((CLAIMS, &self.claims));
        for (name, schema) in of.chain(self.data.as_ref().map(|data| ("data", data))) {
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
    fn claims_are_asked_for_alone_or_beside_data() {
        let claim = json!({"text": "It is full.", "calls": ["c1"]});
        let alone = AnalysisSchema::compile(&json!("claims")).expect("claims");
        assert!(!alone.shown().contains("`data`"));
        let said = json!({"claims": [claim]});
        assert_eq!(alone.read(&said.to_string()), Ok(said.clone()));

        let data = json!({"$ref": "#/$defs/host", "$defs": {"host": {"type": "string"}}});
        let with_data = AnalysisSchema::compile(&data).expect("a schema");
        assert!(with_data.shown().contains("`data`"));
        let both = json!({"claims": [], "data": "db-1"});
        assert_eq!(with_data.read(&format!("```json\n{both}\n```")), Ok(both));
        for (reply, why) in [
            ("so it is".to_owned(), "the reply holds no JSON value"),
            ("[]".to_owned(), "the reply is no JSON object"),
            (said.to_string(), "`data` is missing"),
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
    fn anything_else_is_no_output_schema() {
        for schema in [json!("claim"), json!(["claims"]), json!({"type": "objekt"})] {
            assert!(AnalysisSchema::compile(&schema).is_err(), "{schema}");
        }
    }
}
