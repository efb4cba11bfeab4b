//! "Did you mean": the nearest known name.

/// Returns the known name that `name` is most likely a misspelling of.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len() / 3))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns a hint for an unknown name: the nearest known name, or else all known names.
#[must_use]
pub fn known(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn a_slip_gets_the_name_and_a_stranger_the_list() {
        assert_eq!(
            known("mcp_server", &["agents", "mcp_servers"]),
            "did you mean `mcp_servers`?"
        );
        assert_eq!(
            known("zzz", &["agents", "mcp_servers"]),
            "known: agents, mcp_servers"
        );
        assert_eq!(known("zzz", &[]), "there are none");
    }
}
