//! A handshake without the members that nothing depends on.

use serde_json::{Map, Value, json};

use super::{Repairs, keep_if};

/// The protocol's version of a server that names none: the first that has streamable HTTP.
const VERSION: &str = "2025-03-26";

pub(super) fn repair(result: &mut Map<String, Value>, repairs: &mut Repairs) {
    keep_if(result, "instructions", repairs, Value::is_string);
    keep_if(result, "_meta", repairs, Value::is_object);
    keep_if(result, "protocolVersion", repairs, Value::is_string);
    keep_if(result, "capabilities", repairs, Value::is_object);
    let info = result.get("serverInfo");
    let named = |name: &str| info.and_then(|info| info.get(name)).and_then(Value::as_str);
    if named("name").is_none() || named("version").is_none() {
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
