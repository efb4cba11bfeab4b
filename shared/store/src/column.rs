//! Arrays for statements that write many rows at once.

/// Returns one field of all rows, as a parameter that the statement unnests.
pub fn column<'a, T, U>(rows: &'a [T], field: impl Fn(&'a T) -> U) -> Vec<U> {
    rows.iter().map(field).collect()
}
