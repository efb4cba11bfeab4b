//! Checks of the partitions of growing tables.

use std::time::SystemTime;

use tarsy_store::partitions::{PartitionKey, TablePartitions};

use super::Check;

const AREA: &str = "partitions";
/// Least number of future partitions. Chain workers create partitions for the next four widths, so if fewer than this
/// exist, they don't work.
const LEAST_AHEAD: i64 = 1;

/// Checks that there are enough partitions after `now`. Returns nothing for tables without partitions.
pub(crate) fn checks(tables: &[TablePartitions], now: SystemTime) -> Vec<Check> {
    let now = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let by_time = tables
        .iter()
        .filter(|one| one.is_partitioned() && one.table.key == PartitionKey::Time);
    by_time
        .map(|one| {
            let (end, width) = (one.end().unwrap_or(now), one.width().unwrap_or(1));
            let ahead = (end - now).max(0) / width;
            let finding = format!(
                "{} has {} partitions; those to come last for {ahead} widths",
                one.table.name,
                one.partitions.len()
            );
            match ahead < LEAST_AHEAD {
                true => Check::warning(
                    AREA,
                    finding,
                    "look why no chain worker makes the next ones (its log says so); until then rows go to the default partition",
                ),
                false => Check::ok(AREA, finding),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tarsy_store::partitions::{PARTITIONABLE_TABLES, Partition};

    use super::*;
    use crate::doctor::Verdict;

    fn table(ends: &[i64]) -> TablePartitions {
        let partitions = ends.iter().map(|end| Partition {
            name: format!("to_{end}"),
            from: Some(end - 10_000),
            to: Some(*end),
            is_default: false,
            bytes: 0,
        });
        TablePartitions {
            table: PARTITIONABLE_TABLES[0],
            partitions: partitions.collect(),
        }
    }

    #[test]
    fn only_a_table_that_runs_out_of_partitions_is_complained_about() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let verdicts = |ends: &[i64]| -> Vec<Verdict> {
            let checks = checks(&[table(ends)], at(45_000));
            checks.iter().map(|check| check.verdict).collect()
        };
        assert!(verdicts(&[]).is_empty());
        assert_eq!(verdicts(&[50_000, 60_000]), [Verdict::Ok]);
        assert_eq!(verdicts(&[40_000, 50_000]), [Verdict::Warning]);
        assert_eq!(verdicts(&[40_000]), [Verdict::Warning]);
    }
}
