//! Hides the parts of a model's name that `genai` would interpret. `genai` reads an effort and a provider from names
//! (`qwen3-max`, `x::y`). So it gets a spelling without these parts, and its requests get the original spelling again.

use serde_json::{Value, value::RawValue};
use std::collections::BTreeMap;

/// Last words of names that `genai` cuts off as an effort.
const EFFORTS: [&str; 8] = [
    "zero", "none", "minimal", "low", "medium", "high", "xhigh", "max",
];
const HIDING: &str = "-_";
/// Replacement for `::`. `genai` takes the text before `::` for a provider.
const HIDDEN_COLONS: &str = ":_:";

/// The name of a model, as configured and as `genai` gets it.
#[derive(Debug)]
pub(in crate::remote) struct ModelName {
    written: String,
    /// The spelling for `genai`; `None`: the same as `written`.
    hidden: Option<String>,
}

impl ModelName {
    pub(in crate::remote) fn new(written: &str) -> Self {
        let written = written.trim().to_owned();
        let last = written.rsplit_once('-').map(|(_, last)| last);
        let is_cut = last.is_some_and(|last| EFFORTS.contains(&last));
        let has_colons = written.contains("::");
        let hidden = (is_cut || has_colons).then(|| {
            let end = if is_cut { HIDING } else { "" };
            format!("{}{end}", written.replace("::", HIDDEN_COLONS))
        });
        Self { written, hidden }
    }

    /// Returns the name as configured.
    pub(in crate::remote) fn written(&self) -> &str {
        &self.written
    }

    /// Returns the name for `genai`.
    pub(in crate::remote) fn for_genai(&self) -> &str {
        self.hidden.as_ref().unwrap_or(&self.written)
    }

    /// Restores the configured spelling in a name of an answer or in a URL.
    pub(in crate::remote) fn spelled(&self, text: &str) -> String {
        match &self.hidden {
            Some(hidden) => text.replace(hidden, &self.written),
            None => text.to_owned(),
        }
    }

    /// Restores the configured spelling in a path. `genai` escapes the name in paths of Bedrock.
    pub(in crate::remote) fn spelled_in_path(&self, path: &str) -> String {
        match &self.hidden {
            Some(hidden) => self
                .spelled(path)
                .replace(&escaped(hidden), &escaped(&self.written)),
            None => path.to_owned(),
        }
    }

    /// Restores the configured spelling in the body of a request. All other members keep their exact bytes. `None` if
    /// the spelling is the same, or the body holds no model.
    pub(in crate::remote) fn in_body(&self, body: &[u8]) -> Option<Vec<u8>> {
        self.hidden.as_ref()?;
        let mut members: BTreeMap<&str, &RawValue> = serde_json::from_slice(body).ok()?;
        members.get("model")?;
        let name = RawValue::from_string(Value::from(self.written.as_str()).to_string()).ok()?;
        members.insert("model", &name);
        serde_json::to_vec(&members).ok()
    }
}

/// Escapes a name as `genai` does in a path.
fn escaped(name: &str) -> String {
    let escape = |c: char| match c {
        '-' | '.' | '_' | '~' => c.to_string(),
        c if c.is_ascii_alphanumeric() => c.to_string(),
        c => c
            .to_string()
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect(),
    };
    name.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::ModelName;

    #[test]
    fn a_name_is_sent_as_written() {
        for name in [
            "qwen3-max",
            "mistral-medium",
            "grok-high",
            "x::y",
            "a::b::c-low",
        ] {
            let model = ModelName::new(name);
            assert_ne!(model.for_genai(), name);
            let sent = model.for_genai();
            let body = model
                .in_body(format!("{{\"model\":\"{sent}\",\"n\":1}}").as_bytes())
                .unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body, serde_json::json!({"model": name, "n": 1}));
            assert_eq!(
                model.spelled(&format!("/v1/models/{sent}:generateContent")),
                format!("/v1/models/{name}:generateContent")
            );
        }
        let plain = ModelName::new(" gpt-5.1 ");
        assert_eq!((plain.for_genai(), plain.in_body(b"{}")), ("gpt-5.1", None));
    }
}
