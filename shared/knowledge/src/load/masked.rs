//! Masks secrets in the values of a row before a chunk, a term or a field is made of them.
//!
//! Output of tools is masked, too, but SQL can cut a value in two (`split_part`, `substr`), and half a value tells nobody that
//! it is a password.

use serde_json::{Map, Value};
use tarsy_masking::Masker;

use crate::mapping::{Mapping, ValueKind};

/// The values with their secrets replaced. A number or boolean that is one is left out, since the column keeps its type.
pub(super) fn values(
    masker: &Masker,
    mapping: &Mapping,
    values: Map<String, Value>,
) -> Map<String, Value> {
    let values = Value::Object(values);
    let (masked, _) = masker.mask_json(&values);
    let (Value::Object(values), Value::Object(masked)) = (values, masked) else {
        return Map::new();
    };
    // By position, as a name that looks like a token is masked, too.
    let pairs = values
        .into_iter()
        .zip(masked.into_iter().map(|(_, value)| value));
    let kept = pairs.filter_map(|((name, value), masked)| {
        let field = mapping.field(&name)?;
        if !field.mask || masked == value {
            return Some((name, value));
        }
        (field.kind == ValueKind::Text).then_some((name, masked))
    });
    kept.collect()
}

/// The text with its secrets replaced: names and values of fields next to each other may show more than each field.
pub(super) fn chunk(masker: &Masker, mapping: &Mapping, text: String) -> String {
    match mapping.fields.iter().all(|field| field.mask) {
        true => masker.mask_or_withhold(&text),
        false => text,
    }
}
