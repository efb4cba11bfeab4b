//! Arrays for statements that write many rows at once.

/// One field of all rows, for a parameter that the statement unnests.
pub fn column<'a, T, U>(rows: &'a [T], field: impl Fn(&'a T) -> U) -> Vec<U> {
    rows.iter().map(field).collect()
}
