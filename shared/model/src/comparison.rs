//! Comparisons in filters: `>1`, `<=high`.

/// Comparison of a value with a given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Comparison {
    /// Returns the operator, which is also the one of SQL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
        }
    }

    /// Whether the comparison is true of `left` and `right`.
    #[must_use]
    pub fn holds<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
        }
    }
}

/// Splits `>=high` into its operator and the rest; returns `None` if there is no operator.
#[must_use]
pub fn compared(text: &str) -> Option<(Comparison, &str)> {
    // The longer operators come first, because `>` is also a prefix of `>=`.
    let operators = [
        Comparison::GreaterOrEqual,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::Less,
    ];
    operators.into_iter().find_map(|operator| {
        let rest = text.trim_start().strip_prefix(operator.as_str())?;
        Some((operator, rest.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_split_off() {
        assert_eq!(
            compared(">=high"),
            Some((Comparison::GreaterOrEqual, "high"))
        );
        assert_eq!(compared("> 1.5"), Some((Comparison::Greater, "1.5")));
        assert_eq!(compared("<=0"), Some((Comparison::LessOrEqual, "0")));
        assert_eq!(compared("<1"), Some((Comparison::Less, "1")));
        assert_eq!(compared("high"), None);
    }
}
