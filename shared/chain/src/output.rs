//! Structured output: a JSON value in a model's reply, checked against a schema.

use serde_json::Value;

/// Maximum size of a schema, in bytes.
const MAX_SCHEMA: usize = 32 * 1024;
/// Maximum memory of a compiled pattern of a schema.
const MAX_PATTERN: usize = 256 * 1024;
/// Maximum number of mistakes reported to the model.
const SHOWN: usize = 8;
/// Maximum length of a reported mistake, in bytes.
const SHOWN_BYTES: usize = 300;

/// A compiled `output_schema`.
#[derive(Debug)]
pub struct OutputSchema {
    validator: jsonschema::Validator,
}

impl OutputSchema {
    /// Compiles a JSON Schema. It must not refer to other documents.
    ///
    /// # Errors
    ///
    /// The reason why it is not a valid schema.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        if !schema.is_object() {
            return Err("it must be a mapping, such as `{type: object}`".to_owned());
        }
        if schema.to_string().len() > MAX_SCHEMA {
            return Err(format!("it is longer than {MAX_SCHEMA} bytes"));
        }
        let patterns = jsonschema::PatternOptions::regex()
            .size_limit(MAX_PATTERN)
            .dfa_size_limit(MAX_PATTERN);
        let validator = jsonschema::options()
            .with_pattern_options(patterns)
            .build(schema)
            .map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    /// Parses and validates the value in a model's reply.
    ///
    /// # Errors
    ///
    /// The reason why no value matches, for the model.
    pub fn read(&self, reply: &str) -> Result<Value, String> {
        let Some(value) = json_in(reply) else {
            return Err("the reply holds no JSON value".to_owned());
        };
        self.check(&value).map(|()| value)
    }

    /// Validates a value; the error is for the model.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(value)
            .take(SHOWN)
            .map(|error| {
                let place = error.instance_path().to_string();
                let mut text = match place.is_empty() {
                    true => error.to_string(),
                    false => format!("{place}: {error}"),
                };
                text.truncate(text.floor_char_boundary(SHOWN_BYTES));
                text
            })
            .collect();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("; ")),
        }
    }
}

/// Finds the JSON value in a reply: the whole reply, a code block, or the text between the first and the last brace or
/// bracket.
pub(crate) fn json_in(reply: &str) -> Option<Value> {
    let text = reply.trim();
    let block = || {
        let (_, after) = text.split_once("```")?;
        let (_, body) = after.split_once('\n')?;
        body.rsplit_once("```").map(|(body, _)| body)
    };
    let between = |open: char, close: char| {
        let (start, end) = (text.find(open)?, text.rfind(close)?);
        text.get(start..=end)
    };
    [Some(text), block(), between('{', '}'), between('[', ']')]
        .into_iter()
        .flatten()
        .find_map(|candidate| serde_json::from_str(candidate.trim()).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> OutputSchema {
        let schema = json!({"type": "object", "properties": {"severity": {"enum": ["low", "high"]}},
            "required": ["severity"], "additionalProperties": false});
        OutputSchema::compile(&schema).expect("a schema")
    }

    #[test]
    fn a_value_is_found_in_a_reply() {
        for reply in [
            r#"{"severity": "high"}"#,
            "Here it is:\n```json\n{\"severity\": \"high\"}\n```\nDone.",
            "I think {\"severity\": \"high\"} fits.",
        ] {
            assert_eq!(
                schema().read(reply),
                Ok(json!({"severity": "high"})),
                "{reply}"
            );
        }
    }

    #[test]
    fn a_model_gets_the_reason_for_a_mismatch() {
        for (reply, expected) in [
            ("It is severe.", "no JSON value"),
            (r#"{"severity": "awful"}"#, "/severity: "),
            (r#"{}"#, "required"),
            (r#"["low"]"#, "not of type"),
        ] {
            let why = schema().read(reply).expect_err(reply);
            assert!(why.contains(expected), "{reply}: {why}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for schema in [
            json!("object"),
            json!({"type": "objekt"}),
            json!({"$ref": "https://example.com/s.json"}),
        ] {
            assert!(OutputSchema::compile(&schema).is_err(), "{schema}");
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_read_without_a_panic(reply in "[{}\\[\\]`\"a-z:,\\n é]{0,80}") {
            let _ = schema().read(&reply);
        }
    }
}
