//! Checks a tool of the configuration, and builds its request from typed arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};
use serde_json_path::JsonPath;
use tarsy_mcp_server::Effect;

use crate::error::Error;
use crate::file::{Method, Tool};
use crate::request::{Request, fill, fill_body, slots, slots_of_body};
use crate::target::Target;

/// Upper bound of a tool's `max_bytes`.
const MOST_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) tool: Tool,
    /// Arguments of the path and the body. Arguments of the query are optional.
    pub(crate) required: BTreeSet<String>,
    pub(crate) target: Arc<Target>,
    pub(crate) keep: Option<JsonPath>,
    pub(crate) max_bytes: usize,
}

impl Endpoint {
    /// Checks a tool of the file. `place` names the tool in error messages.
    pub(crate) fn new(place: &str, target: Arc<Target>, tool: Tool) -> Result<Self, Error> {
        let wrong = |reason: &str| Err(Error::invalid(place, reason));
        if tool.method == Method::Get && tool.body.is_some() {
            return wrong("a GET has no body");
        }
        if tool.method == Method::Get && tool.effect != Effect::ReadOnly {
            return wrong("a GET only reads (RFC 9110, section 9.2.1): `effect: read_only`");
        }
        let max_bytes = tool.max_bytes.unwrap_or(20_000);
        if !(1..=MOST_BYTES).contains(&max_bytes) {
            return wrong(&format!("`max_bytes` is from 1 to {MOST_BYTES}"));
        }
        if tool.path.contains(['?', '#', '%', '\\']) || parts(&tool.path).any(|part| part == "..") {
            return wrong(
                "a path has no `..`, `?`, `#`, `%` or `\\`; parameters are written to `query`",
            );
        }
        let mut required: BTreeSet<String> = parts(&tool.path).flat_map(slots).collect();
        if let Some(body) = &tool.body {
            slots_of_body(body, &mut required);
        }
        let of_query = tool.query.values().flat_map(|value| slots(value));
        let used: BTreeSet<String> = required.iter().cloned().chain(of_query).collect();
        if let Some(name) = used.iter().find(|name| !tool.arguments.contains_key(*name)) {
            return wrong(&format!("argument `{name}` has no type"));
        }
        for (name, argument) in &tool.arguments {
            if !used.contains(name) {
                return wrong(&format!("`{{{name}}}` is in no path, query or body"));
            }
            if let Some(mistake) = argument.mistake() {
                let place = format!("{place}.arguments.{name}");
                return Err(Error::invalid(&place, mistake));
            }
        }
        let keep = tool.keep.as_deref().map(JsonPath::parse).transpose();
        let keep =
            keep.map_err(|error| Error::invalid(place, format!("`keep` is no JSONPath: {error}")))?;
        Ok(Self {
            tool,
            required,
            target,
            keep,
            max_bytes,
        })
    }

    /// Builds the request for these values. The error text is written for the model.
    pub(crate) fn request(&self, values: &Map<String, Value>) -> Result<Request, String> {
        let mut given = BTreeMap::new();
        for (name, value) in values {
            let Some(argument) = self.tool.arguments.get(name) else {
                return Err(format!("there is no argument `{}`", name.escape_debug()));
            };
            let rendered = argument.rendered(value);
            let rendered = rendered.map_err(|expected| format!("`{name}` must be {expected}"))?;
            given.insert(name.clone(), (rendered, value.clone()));
        }
        if let Some(missing) = self.required.iter().find(|name| !given.contains_key(*name)) {
            return Err(format!("`{missing}` is missing"));
        }
        let mut url = self.target.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
            for part in parts(&self.tool.path) {
                let Some(part) = fill(part, &given) else {
                    continue;
                };
                // A part with its values is one segment: `/` in a value is escaped, so it can't lead to another path.
                if matches!(&*part, "." | "..") {
                    return Err("a value of the path is `.` or `..`".to_owned());
                }
                segments.push(&part);
            }
        }
        let parameters = self.tool.query.iter();
        let parameters = parameters.filter_map(|(name, value)| Some((name, fill(value, &given)?)));
        let parameters: Vec<_> = parameters.collect();
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        let body = self.tool.body.as_ref().map(|body| fill_body(body, &given));
        Ok(Request { url, body })
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.trim_start_matches('/').split('/')
}
