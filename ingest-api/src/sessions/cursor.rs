//! Cursors of session lists.

use tarsy_store::history::{ListPosition, Sort};

/// Position in a sorted list at which the next page begins.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// Sort order of the list.
    pub(crate) sort: Sort,
    /// Position of the last session of the previous page.
    pub(crate) position: ListPosition,
    /// Whether a search stopped there, because its time was up.
    pub(crate) resumes: bool,
}

/// Suffix of a cursor at which a search stopped.
const RESUMES: &str = "_on";
/// Stands for the missing sort key of a session.
const NO_KEY: &str = "none";

const fn name(sort: Sort) -> &'static str {
    match sort {
        Sort::StartedAt => "start",
        Sort::CompletedAt => "end",
        Sort::Duration => "duration",
        Sort::Severity => "severity",
        Sort::Cost => "cost",
    }
}

impl Cursor {
    /// Formats the cursor: `<start>_<id>`, or `<sort>:<key>:<start>_<id>` if the list is not sorted by start.
    pub(crate) fn write(&self) -> String {
        let ListPosition {
            key,
            started_at_us,
            session_id,
        } = self.position;
        let end = if self.resumes { RESUMES } else { "" };
        if self.sort == Sort::StartedAt {
            return format!("{started_at_us}_{session_id}{end}");
        }
        let key = key.map_or_else(|| NO_KEY.to_owned(), |key| key.to_string());
        format!(
            "{}:{key}:{started_at_us}_{session_id}{end}",
            name(self.sort)
        )
    }

    pub(crate) fn read(value: &str) -> Result<Self, String> {
        let (place, resumes) = match value.strip_suffix(RESUMES) {
            Some(place) => (place, true),
            None => (value, false),
        };
        read(place, resumes).ok_or_else(|| "is not a cursor of this list".to_owned())
    }
}

fn read(place: &str, resumes: bool) -> Option<Cursor> {
    let (sort, key, place) = match place.split_once(':') {
        None => (Sort::StartedAt, None, place),
        Some((sort, rest)) => {
            let sorts = [
                Sort::CompletedAt,
                Sort::Duration,
                Sort::Severity,
                Sort::Cost,
            ];
            let sort = sorts.into_iter().find(|known| name(*known) == sort)?;
            let (key, place) = rest.split_once(':')?;
            let key = match key {
                NO_KEY => None,
                // Infinity and NaN are rejected, because Postgres would not accept them as literals.
                key => Some(key.parse::<f64>().ok().filter(|key| key.is_finite())?),
            };
            (sort, key, place)
        }
    };
    let (us, id) = place.split_once('_')?;
    let position = ListPosition {
        key,
        started_at_us: us.parse().ok()?,
        session_id: id.parse().ok()?,
    };
    Some(Cursor {
        sort,
        position,
        resumes,
    })
}

#[cfg(test)]
mod tests {
    use tarsy_model::SessionId;

    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for (sort, key) in [
            (Sort::StartedAt, None),
            (Sort::Duration, Some(26_000_000.0)),
            (Sort::Severity, Some(4.0)),
            (Sort::Cost, Some(0.1 + 0.2)),
            (Sort::Cost, Some(1e-9)),
            (Sort::Cost, None),
        ] {
            let position = ListPosition {
                key,
                started_at_us: 1_700_000_000_000_000,
                session_id: SessionId::generate(),
            };
            for resumes in [false, true] {
                let written = Cursor {
                    sort,
                    position,
                    resumes,
                }
                .write();
                let read = Cursor::read(&written).expect("a cursor");
                assert_eq!(
                    (read.sort, read.position, read.resumes),
                    (sort, position, resumes),
                    "{written}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let id = SessionId::generate();
        for text in [
            "",
            "1",
            "1_x",
            &format!("x_{id}"),
            &format!("cost:NaN:1_{id}"),
            &format!("cost:inf:1_{id}"),
            &format!("name:1:1_{id}"),
            &format!("cost:1_{id}"),
        ] {
            assert!(Cursor::read(text).is_err(), "{text}");
        }
    }
}
