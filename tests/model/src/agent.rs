//! The agent: what it does next, from its record alone.

use tarsy_model::StageStatus;

use crate::calls::Call;
use crate::fleet::Point;
use crate::tables::Record;

/// Where a run goes on that finds this record.
pub(crate) fn resume(records: &[Record], script: &[Call]) -> Point {
    let open = records.iter().position(|record| record.answer.is_none());
    match open {
        // What may be repeated is made again; what may not is reported as unknown.
        Some(sequence) if records[sequence].call == Call::Effect => Point::Answered {
            sequence,
            unknown: true,
        },
        Some(sequence) => Point::Asking { sequence },
        None if records.len() < script.len() => Point::Running {
            sequence: records.len(),
        },
        None => Point::Ending(StageStatus::Completed),
    }
}

/// Where a run goes on after a call was recorded.
pub(crate) fn after(sequence: usize, script: &[Call]) -> Point {
    if sequence + 1 < script.len() {
        Point::Running {
            sequence: sequence + 1,
        }
    } else {
        Point::Ending(StageStatus::Completed)
    }
}
