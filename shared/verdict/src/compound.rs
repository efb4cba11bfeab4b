//! Words of English with a hyphen, which are no names.

/// Parts that make a compound English where every part of it is one or a plain ending.
const PARTS: &str = include_str!("compounds.txt");

/// Whether letters with hyphens are English (`out-of-memory`), not the name of something (`payments-api`).
pub(crate) fn is_english(token: &str) -> bool {
    let lower = token.to_lowercase();
    let parts: Vec<&str> = lower.split('-').collect();
    let is_known = |part: &&str| PARTS.lines().any(|line| line == *part);
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return false;
    };
    let english = parts.iter().filter(|part| is_known(part)).count();
    english == parts.len()
        || matches!(
            *first,
            "non"
                | "pre"
                | "post"
                | "re"
                | "mis"
                | "multi"
                | "over"
                | "under"
                | "self"
                | "well"
                | "ill"
                | "anti"
                | "co"
                | "semi"
                | "un"
                | "sub"
                | "inter"
                | "intra"
                | "so"
                | "one"
                | "two"
                | "three"
                | "four"
                | "five"
                | "six"
                | "ever"
                | "as"
                | "in"
                | "per"
                | "long"
                | "short"
                | "high"
                | "low"
        )
        || matches!(
            *last,
            "based"
                | "related"
                | "level"
                | "side"
                | "wide"
                | "driven"
                | "specific"
                | "like"
                | "bound"
                | "free"
                | "only"
                | "ready"
                | "aware"
                | "induced"
                | "prone"
                | "heavy"
                | "intensive"
                | "off"
                | "up"
                | "down"
                | "in"
                | "out"
                | "to"
                | "on"
                | "case"
                | "term"
                | "scale"
                | "running"
                | "facing"
                | "defined"
                | "managed"
                | "triggered"
                | "caused"
                | "dependent"
        )
}
