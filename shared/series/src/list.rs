//! Lists of series, written with one line per series.

use serde_json::{Map, Value};

use crate::forms::Series;
use crate::points::{Points, short};
use crate::sparkline::sparkline;
use crate::{forms, labels_text};

/// Format of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Words only.
    Words,
    /// A sparkline, followed by words.
    Sparkline,
}

/// Series in their original order.
#[derive(Debug, Default)]
pub struct SeriesList(Vec<Series>);

impl SeriesList {
    /// Reads a list of series; `None` if the value is not such a list, or if the list is empty.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let items = value.as_array().filter(|items| !items.is_empty())?;
        let series = items.iter().map(forms::read);
        Some(Self(series.collect::<Option<_>>()?))
    }

    /// Appends another list of series.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Returns the member of an item that contains its points, such as `values`, from the first series.
    #[must_use]
    pub fn member(&self) -> Option<&'static str> {
        self.0.first().map(|one| one.member)
    }

    /// Returns the number of series.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no series.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the total number of points of all series.
    #[must_use]
    pub fn points(&self) -> usize {
        self.0.iter().map(|one| one.points.len()).sum()
    }

    /// Returns the times of the first and the last point of all series, in seconds since 1970.
    #[must_use]
    pub fn span(&self) -> (f64, f64) {
        let all = self.0.iter().map(|one| &one.points);
        let first = all.clone().map(Points::first_time);
        let last = all.map(Points::last_time);
        (
            first.fold(f64::INFINITY, f64::min),
            last.fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// Writes a line for each series. If not all fit into `most` bytes, the series that change most are kept, in their
    /// original order, and a last line reports how many are left out.
    ///
    /// A first line has the labels that all series share. Each line starts with a line break.
    #[must_use]
    pub fn lines(&self, most: usize, style: Style) -> String {
        let common = self.common_labels();
        let mut text = String::new();
        if !common.is_empty() {
            text.push_str(&format!("\nall: {}", labels_text(&common)));
        }
        let lines: Vec<String> = self.0.iter().map(|one| one.line(&common, style)).collect();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by(|one, other| {
            let change = |at: &usize| self.0[*at].points.change();
            change(other).total_cmp(&change(one))
        });
        let mut left = most.saturating_sub(text.len());
        let fits = |at: &&usize| {
            let rest = left.checked_sub(lines[**at].len());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let mut kept: Vec<usize> = order.iter().take_while(fits).copied().collect();
        let left_out = &order[kept.len()..];
        kept.sort_unstable();
        for at in kept {
            text.push_str(&lines[at]);
        }
        if !left_out.is_empty() {
            let ends = left_out.iter().filter_map(|at| self.0[*at].points.ends());
            let (lows, highs): (Vec<f64>, Vec<f64>) = ends.unzip();
            let low = lows.into_iter().fold(f64::INFINITY, f64::min);
            let high = highs.into_iter().fold(f64::NEG_INFINITY, f64::max);
            text.push_str(&format!(
                "\n[{} series that change less are left out; their values are {} to {}. Narrow the query to see them]",
                left_out.len(),
                short(low),
                short(high)
            ));
        }
        text
    }

    /// Returns the labels that all series share; none for a single series.
    fn common_labels(&self) -> Map<String, Value> {
        let [first, others @ ..] = self.0.as_slice() else {
            return Map::new();
        };
        let mut common = first.labels.clone();
        common.retain(|name, value| {
            let mut values = others.iter().map(|one| one.labels.get(name));
            !others.is_empty() && values.all(|other| other == Some(&*value))
        });
        common
    }
}

impl Series {
    fn line(&self, common: &Map<String, Value>, style: Style) -> String {
        let mut own = self.labels.clone();
        own.retain(|name, _| !common.contains_key(name));
        let picture = sparkline(&self.points).filter(|_| style == Style::Sparkline);
        let picture = picture.map_or(String::new(), |picture| format!("{picture} "));
        format!("\n- {}: {picture}{}", labels_text(&own), self.points.text())
    }
}
