//! Parses and computes bounds of partitions.

use uuid::Uuid;

use super::PartitionKey;

/// Range of a partition: `from` inclusive, `to` exclusive; `None` means unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
}

impl PartitionKey {
    /// Formats a position as a literal of the key's type.
    pub(super) fn literal(self, position: i64) -> String {
        match self {
            Self::Time => format!("'{}'", lowest_uuid(position)),
            Self::Number => position.to_string(),
        }
    }

    /// Parses a position from a literal. Returns `None` if the range is unbounded there.
    pub(super) fn position(self, literal: &str) -> Option<i64> {
        let literal = literal.trim_matches('\'');
        match self {
            Self::Time => literal.parse().ok().map(millis),
            Self::Number => literal.parse().ok(),
        }
    }

    /// Parses the result of `pg_get_expr(relpartbound, oid)`. Returns `None` for the default partition.
    pub(super) fn range(self, bound: &str) -> Option<Range> {
        let (from, to) = bound
            .strip_prefix("FOR VALUES FROM (")?
            .strip_suffix(')')?
            .split_once(") TO (")?;
        Some(Range {
            from: self.position(from),
            to: self.position(to),
        })
    }
}

/// Returns a UUID that is lower than every UUIDv7 of this millisecond and higher than all earlier ones.
pub(crate) fn lowest_uuid(millis: i64) -> Uuid {
    Uuid::from_u128(u128::from(millis.unsigned_abs()) << 80)
}

/// Returns the time of a UUIDv7, in milliseconds since 1970.
pub(super) fn millis(id: Uuid) -> i64 {
    i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX)
}

/// Returns the first multiple of `width` at or after `position`.
pub(super) const fn aligned(position: i64, width: i64) -> i64 {
    position.div_euclid(width) * width
        + if position.rem_euclid(width) == 0 {
            0
        } else {
            width
        }
}

/// Returns the starts of the missing partitions, so that `ahead` partitions lie beyond `position`. `end` is the end of
/// the last partition.
pub(super) fn missing_starts(end: i64, width: i64, position: i64, ahead: i64) -> Vec<i64> {
    let wanted = position.saturating_add(width.saturating_mul(ahead));
    let mut starts = Vec::new();
    let mut next = end;
    while next < wanted {
        starts.push(next);
        next += width;
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_postgres_writes_them() {
        let millis = 1_764_000_000_123;
        let literal = PartitionKey::Time.literal(millis);
        let bound = format!("FOR VALUES FROM (MINVALUE) TO ({literal})");
        let range = Range {
            from: None,
            to: Some(millis),
        };
        assert_eq!(PartitionKey::Time.range(&bound), Some(range));
        let range = Range {
            from: Some(5),
            to: Some(10),
        };
        let bound = "FOR VALUES FROM ('5') TO ('10')";
        assert_eq!(PartitionKey::Number.range(bound), Some(range));
        assert_eq!(PartitionKey::Number.range("DEFAULT"), None);
    }

    #[test]
    fn every_uuid_of_a_millisecond_lies_at_or_after_its_bound() {
        let at = uuid::Timestamp::from_unix(uuid::NoContext, 1_764_000_000, 123_000_000);
        let id = Uuid::new_v7(at);
        assert!(id >= lowest_uuid(1_764_000_000_123));
        assert!(id < lowest_uuid(1_764_000_000_124));
        assert_eq!(millis(id), 1_764_000_000_123);
    }

    #[test]
    fn partitions_are_made_until_enough_lie_ahead() {
        assert_eq!(missing_starts(20, 10, 15, 2), [20, 30]);
        assert_eq!(missing_starts(40, 10, 15, 2), [0_i64; 0]);
        assert_eq!(aligned(41, 10), 50);
        assert_eq!(aligned(40, 10), 40);
    }
}
