//! Built-in functions of `function` stages. They are pure: arguments in, data out.

mod citing;
mod evidence;
mod guarded;

use std::cmp::Ordering;

use serde_json::{Map, Value, json};
use tarsy_model::words;

pub use guarded::{Guarded, Policies, RedactionFlag};

/// Largest result, in bytes.
const MAX_RESULT: usize = 256 * 1024;

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `rank(items, by, order, limit)`: sorts a list by a field of its items.
    Rank,
    /// `pack(texts, bytes, separator)`: joins as many texts as fit.
    Pack,
    /// `pick(items, fields)`: keeps some fields of a mapping, or of each mapping in a list.
    Pick,
    /// `normalize(text)`: replaces each run of white space with a single space.
    Normalize,
    /// `dedupe(lists, by, limit)`: joins lists, and keeps one item per value of a field.
    Dedupe,
    /// `evidence(items, bytes)`: chunks with their ids, each cut to its share of the budget.
    Evidence,
    /// `guard(value, masked)`: applies the policies of `guardrails`.
    Guard,
    /// `cite(answer, citations, evidence, denied, redaction_flags, errors)`: returns an answer only if evidence
    /// supports it.
    Cite,
}

words!(Function {
    Rank => "rank",
    Pack => "pack",
    Pick => "pick",
    Normalize => "normalize",
    Dedupe => "dedupe",
    Evidence => "evidence",
    Guard => "guard",
    Cite => "cite",
});

impl Function {
    /// Returns the required and the optional arguments.
    const fn arguments(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Rank => (&["items"], &["by", "order", "limit"]),
            Self::Pack => (&["texts"], &["bytes", "separator"]),
            Self::Pick => (&["items", "fields"], &[]),
            Self::Normalize => (&["text"], &[]),
            Self::Dedupe => (&["lists", "by"], &["limit"]),
            Self::Evidence => (&["items"], &["bytes"]),
            Self::Guard => (&["value"], &["masked"]),
            Self::Cite => (
                &["answer", "citations", "evidence"],
                &["denied", "redaction_flags", "errors"],
            ),
        }
    }

    /// Returns whether its text is an answer, not data for later stages.
    #[must_use]
    pub const fn answers(self) -> bool {
        matches!(self, Self::Cite)
    }

    /// Looks up a function by name.
    ///
    /// # Errors
    ///
    /// A message that lists the known functions.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::from_word(name).ok_or_else(|| {
            let known = Self::WORDS.join(", ");
            format!("unknown function `{name}`; functions are {known}")
        })
    }

    /// Checks the names of its arguments.
    ///
    /// # Errors
    ///
    /// The argument that is missing or unknown.
    pub fn takes(self, args: &Map<String, Value>) -> Result<(), String> {
        let (needed, optional) = self.arguments();
        if let Some(missing) = needed.iter().find(|name| !args.contains_key(**name)) {
            return Err(format!(
                "function `{}` needs the argument `{missing}`",
                self.as_str()
            ));
        }
        let is_known = |name: &str| needed.contains(&name) || optional.contains(&name);
        match args.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(unknown) => Err(format!(
                "function `{}` has no argument `{unknown}`; it takes {}",
                self.as_str(),
                [needed, optional].concat().join(", ")
            )),
        }
    }

    /// Computes the result. `guard` applies `policies`.
    ///
    /// # Errors
    ///
    /// The argument that has a wrong type, or that the result is too large.
    pub fn call(self, args: &Map<String, Value>, policies: &dyn Policies) -> Result<Value, String> {
        self.takes(args)?;
        let result = match self {
            Self::Rank => rank(args),
            Self::Pack => pack(args),
            Self::Pick => pick(args),
            Self::Normalize => citing::normalize(args),
            Self::Dedupe => citing::dedupe(args),
            Self::Evidence => evidence::evidence(args),
            Self::Guard => Ok(guarded::guard(args, policies)),
            Self::Cite => citing::cite(args),
        }?;
        match result.to_string().len() <= MAX_RESULT {
            true => Ok(result),
            false => Err(format!("the result is longer than {MAX_RESULT} bytes")),
        }
    }
}

fn rank(args: &Map<String, Value>) -> Result<Value, String> {
    let mut items = list(args, "items")?.clone();
    let by = optional(args, "by", Value::as_str, "a text")?;
    let order = optional(args, "order", Value::as_str, "`asc` or `desc`")?;
    let is_ascending = match order {
        Some("asc") => true,
        None | Some("desc") => false,
        Some(_) => return Err("`order` must be `asc` or `desc`".to_owned()),
    };
    let key = |item: &Value| match by {
        Some(field) => item.get(field).cloned().unwrap_or_default(),
        None => item.clone(),
    };
    // Items without the field are last in either order.
    items.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        match (a.is_null(), b.is_null()) {
            (false, false) if is_ascending => compare(&a, &b),
            (false, false) => compare(&b, &a),
            (a, b) => a.cmp(&b),
        }
    });
    if let Some(limit) = optional(args, "limit", Value::as_u64, "a whole number")? {
        items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(Value::Array(items))
}

/// Compares values: numbers before strings before everything else.
fn compare(a: &Value, b: &Value) -> Ordering {
    let class = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        _ => 2,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let number = |n: &serde_json::Number| n.as_f64().unwrap_or_default();
            number(a).total_cmp(&number(b))
        }
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => class(a).cmp(&class(b)),
    }
}

fn pack(args: &Map<String, Value>) -> Result<Value, String> {
    const DEFAULT_BYTES: u64 = 16_000;
    let texts = list(args, "texts")?;
    let bytes = optional(args, "bytes", Value::as_u64, "a whole number")?.unwrap_or(DEFAULT_BYTES);
    let budget = usize::try_from(bytes).unwrap_or(usize::MAX);
    let separator = optional(args, "separator", Value::as_str, "a text")?.unwrap_or("\n\n");
    let (mut packed, mut used) = (String::new(), 0);
    for value in texts {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let gap = if used == 0 { "" } else { separator };
        if packed.len() + gap.len() + text.len() > budget {
            break;
        }
        packed.push_str(gap);
        packed.push_str(&text);
        used += 1;
    }
    let left_out = texts.iter().filter(|text| !text.is_null()).count() - used;
    Ok(json!({"text": packed, "used": used, "left_out": left_out}))
}

fn pick(args: &Map<String, Value>) -> Result<Value, String> {
    let fields = list(args, "fields")?;
    let fields: Vec<&str> = fields.iter().filter_map(Value::as_str).collect();
    let of = |item: &Value| -> Value {
        let picked = fields
            .iter()
            .filter_map(|field| Some(((*field).to_owned(), item.get(*field)?.clone())));
        Value::Object(picked.collect())
    };
    match args.get("items") {
        Some(Value::Array(items)) => Ok(items.iter().map(of).collect()),
        Some(item @ Value::Object(_)) => Ok(of(item)),
        _ => Err("`items` must be a list or a mapping".to_owned()),
    }
}

fn list<'a>(args: &'a Map<String, Value>, name: &str) -> Result<&'a Vec<Value>, String> {
    let list = args.get(name).and_then(Value::as_array);
    list.ok_or_else(|| format!("`{name}` must be a list"))
}

fn optional<'a, T>(
    args: &'a Map<String, Value>,
    name: &str,
    read: impl Fn(&'a Value) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, String> {
    let value = args.get(name).filter(|value| !value.is_null());
    let value = value.map(|value| read(value).ok_or_else(|| format!("`{name}` must be {wanted}")));
    value.transpose()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(name: &str, args: Value) -> Result<Value, String> {
        let Value::Object(args) = args else {
            panic!("no object")
        };
        Function::named(name)?.call(&args, &Everything)
    }

    struct Everything;

    impl Policies for Everything {
        fn check(&self, _: &Value) -> Guarded {
            Guarded {
                value: None,
                flags: Vec::new(),
            }
        }
    }

    #[test]
    fn denied_text_is_not_passed_on() {
        let guarded = call("guard", json!({"value": {"answer": "secret"}}));
        let expected = json!({"value": null, "denied": true, "redaction_flags": []});
        assert_eq!(guarded, Ok(expected));
    }

    #[test]
    fn what_was_masked_before_is_listed_with_the_findings() {
        let masked = json!({"items": [{"text": "token [MASKED_JWT], [MASKED_JWT]"}, "[MASKED_WITHHELD: it]"]});
        let guarded = call("guard", json!({"value": "x", "masked": masked})).expect("guarded");
        let flag = |kind: &str, count: u32| json!({"policy": "masking", "action": "redact", "kind": kind, "count": count});
        assert_eq!(
            guarded["redaction_flags"],
            json!([flag("jwt", 2), flag("withheld", 1)])
        );
    }

    #[test]
    fn functions_compute() {
        let items = json!([{"h": "a", "n": 1}, {"h": "b"}, {"h": "c", "n": 9.5}]);
        let ranked = call("rank", json!({"items": items, "by": "n", "limit": 2}));
        assert_eq!(
            ranked,
            Ok(json!([{"h": "c", "n": 9.5}, {"h": "a", "n": 1}]))
        );
        let ranked = call("rank", json!({"items": ["b", "a", 3], "order": "asc"}));
        assert_eq!(ranked, Ok(json!([3, "a", "b"])));
        let packed = call(
            "pack",
            json!({"texts": ["one", null, "two", "three"], "bytes": 8, "separator": " "}),
        );
        assert_eq!(
            packed,
            Ok(json!({"text": "one two", "used": 2, "left_out": 1}))
        );
        let picked = call("pick", json!({"items": items, "fields": ["n"]}));
        assert_eq!(picked, Ok(json!([{"n": 1}, {}, {"n": 9.5}])));
    }

    #[test]
    fn mistakes_are_named() {
        for (name, args, expected) in [
            (
                "rnak",
                json!({}),
                "unknown function `rnak`; functions are rank, pack, pick, normalize",
            ),
            ("rank", json!({}), "needs the argument `items`"),
            (
                "rank",
                json!({"items": [], "key": 1}),
                "has no argument `key`",
            ),
            ("rank", json!({"items": 1}), "`items` must be a list"),
            (
                "rank",
                json!({"items": [], "order": "up"}),
                "`order` must be",
            ),
            (
                "pack",
                json!({"texts": [], "bytes": "x"}),
                "`bytes` must be a whole number",
            ),
            (
                "pick",
                json!({"items": 1, "fields": []}),
                "`items` must be a list or a mapping",
            ),
        ] {
            let why = call(name, args).expect_err(name);
            assert!(why.contains(expected), "{why}");
        }
    }

    proptest! {
        #[test]
        fn a_rank_is_a_sorted_permutation(numbers in prop::collection::vec(any::<i32>(), 0..40)) {
            let ranked = call("rank", json!({"items": numbers})).expect("a list");
            let mut sorted = numbers.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            prop_assert_eq!(ranked, json!(sorted));
        }

        #[test]
        fn a_pack_keeps_its_budget_and_its_order(texts in prop::collection::vec("[a-zé]{1,9}", 0..20), bytes in 0_usize..60) {
            let packed = call("pack", json!({"texts": texts, "bytes": bytes})).expect("a pack");
            let text = packed["text"].as_str().expect("text");
            prop_assert!(text.len() <= bytes);
            let used = usize::try_from(packed["used"].as_u64().expect("a count")).expect("small");
            prop_assert_eq!(text, texts[..used].join("\n\n"));
        }
    }
}
