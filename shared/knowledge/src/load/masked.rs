//! Masks secrets in the values of a row before chunks, terms or fields are built from them.
//!
//! Output of tools is masked too. But SQL can split a value (`split_part`, `substr`), and half of a password can't be
//! recognised as a secret.

use serde_json::{Map, Value};
use tarsy_masking::Masker;

use crate::mapping::{Mapping, ValueKind};

/// Masks the secrets in values. A secret number or boolean is removed, because the column must keep its type.
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
    // Match by position, because a name that looks like a token is masked too.
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

/// Masks the secrets in a chunk. Names and values of neighbouring fields together may reveal a secret that no single
/// field shows.
pub(super) fn chunk(masker: &Masker, mapping: &Mapping, text: String) -> String {
    match mapping.fields.iter().all(|field| field.mask) {
        true => masker.mask_or_withhold(&text),
        false => text,
    }
}
