//! Converts names of functions between tarsy's form and the vendor's. Gemini accepts only names that begin with a
//! letter or `_`, so not those of a server `3scale`. <https://ai.google.dev/api/caching#FunctionDeclaration>

use crate::ProviderKind;

/// Returns the name under which a tool is offered.
pub(in crate::remote) fn sent_name(kind: ProviderKind, name: &str) -> String {
    match kind == ProviderKind::Gemini && begins_oddly(name.trim_start_matches('_')) {
        true => format!("_{name}"),
        false => name.to_owned(),
    }
}

/// Prefixes that models add to a name because they know them from their training. Offered names never contain `.` or
/// `:`.
const NAMESPACES: [&str; 4] = ["default_api.", "default_api:", "functions.", "functions:"];

/// Returns the name of the tool that a call means.
pub(in crate::remote) fn read_name(kind: ProviderKind, name: String) -> String {
    let bare = NAMESPACES.iter().find_map(|space| name.strip_prefix(space));
    let name = match bare.filter(|bare| !bare.is_empty()) {
        Some(bare) => bare.to_owned(),
        None => name,
    };
    let read = name
        .strip_prefix('_')
        .filter(|_| kind == ProviderKind::Gemini);
    match read.filter(|rest| begins_oddly(rest.trim_start_matches('_'))) {
        Some(rest) => rest.to_owned(),
        None => name,
    }
}

fn begins_oddly(name: &str) -> bool {
    name.starts_with(|first: char| !first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_name_comes_back_as_it_was_offered(name in "[a-zA-Z0-9_-]{1,12}") {
            for kind in [ProviderKind::Gemini, ProviderKind::OpenAi] {
                let sent = sent_name(kind, &name);
                prop_assert!(kind != ProviderKind::Gemini || sent.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{sent}");
                prop_assert_eq!(read_name(kind, sent), name.clone());
            }
        }
    }
}
