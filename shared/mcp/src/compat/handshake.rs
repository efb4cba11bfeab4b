//! Repairs the result of a handshake: drops invalid members and fills in missing ones. Nothing depends on them.

use rmcp::model::{Implementation, ServerCapabilities};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{Repairs, keep_if};

/// Protocol version of a server that states none: the first version with streamable HTTP.
const VERSION: &str = "2025-03-26";

pub(super) fn repair(result: &mut Map<String, Value>, repairs: &mut Repairs) {
    keep_if(result, "instructions", repairs, Value::is_string);
    keep_if(result, "_meta", repairs, Value::is_object);
    keep_if(result, "protocolVersion", repairs, Value::is_string);
    keep_if(result, "capabilities", repairs, Value::is_object);
    if let Some(Value::Object(capabilities)) = result.get_mut("capabilities") {
        let odd = |value: &Value| !value.is_object();
        if capabilities.values().any(odd) {
            // `true` means the same as `{}`.
            let meant = capabilities
                .iter()
                .filter(|(_, value)| value.is_object() || **value == true);
            let meant: Map<String, Value> = meant
                .map(|(name, value)| {
                    (
                        name.clone(),
                        if odd(value) { json!({}) } else { value.clone() },
                    )
                })
                .collect();
            *capabilities = meant;
            repairs.push("`capabilities` are odd".to_owned());
        }
    }
    keep_if(
        result,
        "capabilities",
        repairs,
        is_readable::<ServerCapabilities>,
    );
    let info = result.get("serverInfo").cloned().unwrap_or_default();
    let is_whole = is_readable::<Implementation>(&info);
    let named = |name: &str| info.get(name).and_then(Value::as_str);
    if !is_whole {
        let (name, version) = (
            named("name").unwrap_or("unknown"),
            named("version").unwrap_or("0"),
        );
        let info = json!({"name": name, "version": version});
        result.insert("serverInfo".to_owned(), info);
        repairs.push("`serverInfo` is not whole".to_owned());
    }
    for (name, value) in [
        ("protocolVersion", json!(VERSION)),
        ("capabilities", json!({"tools": {}})),
    ] {
        if !result.contains_key(name) {
            result.insert(name.to_owned(), value);
            repairs.push(format!("`{name}` is missing"));
        }
    }
}

fn is_readable<T: DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}
