//! The masker, which is built from a configuration, and its functions for text.

use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};

use crate::config::{MaskingConfig, Problem};
use crate::custom::{self, Custom};
use crate::error::Error;
use crate::kind::{Kind, Kinds, WITHHELD};
use crate::pattern::{
    DEFAULT_GROUP, Pattern, PatternSet, built_in_markers, group_names, pattern_names,
};
use crate::scan::{self, Found};
use crate::span::{self, Label, Span};
use crate::view::View;

/// Longest text that is masked at once, in bytes: 64 MiB. A longer text is withheld.
pub const MAX_TEXT_BYTES: usize = 64 << 20;
/// Most rounds until a text must not change any more. One round is enough for all texts, unless replacing a secret puts
/// a keyword next to another value.
const ROUNDS: usize = 4;

/// Distance around a replacement that is checked again, in bytes.
const NEAR_BYTES: usize = 192;

/// A masked text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text with every secret replaced; borrowed if there was none.
    pub text: Cow<'t, str>,
    /// Number of replaced secrets by kind; `withheld` if the text was withheld.
    pub kinds: Kinds,
}

/// Finds and replaces secrets. Cheap to share (`&Masker` or an `Arc`). Masking takes no lock.
#[derive(Debug, Clone)]
pub struct Masker {
    pub(crate) set: PatternSet,
    custom: Vec<Custom>,
    markers: Vec<String>,
}

impl Masker {
    /// Creates a masker for a `data_masking` section.
    ///
    /// # Errors
    /// All problems of the section: unknown groups, unknown patterns, invalid custom patterns.
    pub fn new(config: &MaskingConfig) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut set = PatternSet::default();
        for (index, name) in config.pattern_groups.iter().enumerate() {
            match PatternSet::group(name) {
                Some(group) => set = set.union(group),
                None => problems.push(Problem {
                    path: format!("pattern_groups[{index}]"),
                    message: format!("no masking group `{}`", name.escape_debug()),
                    hint: format!("known groups: {}", group_names().join(", ")),
                }),
            }
        }
        for (index, name) in config.patterns.iter().enumerate() {
            match Pattern::named(name) {
                Some(pattern) => set = set.with(pattern),
                None => problems.push(Problem {
                    path: format!("patterns[{index}]"),
                    message: format!("no masking pattern `{}`", name.escape_debug()),
                    hint: format!("known patterns: {}", pattern_names().join(", ")),
                }),
            }
        }
        let custom = custom::compile(&config.custom_patterns, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        if !config.enabled {
            return Ok(Self::with(PatternSet::default(), Vec::new()));
        }
        if config.pattern_groups.is_empty() && config.patterns.is_empty() && custom.is_empty() {
            set = PatternSet::group(DEFAULT_GROUP).unwrap_or(PatternSet::all());
        }
        Ok(Self::with(set, custom))
    }

    /// Creates a masker with one built-in group; `None` if there is no such group.
    #[must_use]
    pub fn group(name: &str) -> Option<Self> {
        PatternSet::group(name).map(|set| Self::with(set, Vec::new()))
    }

    fn with(set: PatternSet, custom: Vec<Custom>) -> Self {
        let markers = built_in_markers();
        Self {
            set,
            custom,
            markers,
        }
    }

    /// Whether this masker masks anything; `false` for `enabled: false`.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        !self.set.is_empty() || !self.custom.is_empty()
    }

    /// Masks `text`. If that fails for any reason, [`WITHHELD`] replaces the whole text.
    #[must_use]
    pub fn mask<'t>(&self, text: &'t str) -> Masked<'t> {
        self.try_mask(text).unwrap_or_else(|_| {
            let masked = withheld();
            report(&masked.kinds);
            masked
        })
    }

    /// Same as [`Masker::mask`], but without counting in the metrics. The caller reports all parts at once.
    pub(crate) fn mask_part<'t>(&self, text: &'t str) -> Masked<'t> {
        self.mask_unreported(text).unwrap_or_else(|_| withheld())
    }

    /// Same as [`Masker::mask`], but returns only the text.
    #[must_use]
    pub fn mask_or_withhold(&self, text: &str) -> String {
        self.mask(text).text.into_owned()
    }

    /// Masks `text`, for callers that need to know why a text was withheld.
    ///
    /// # Errors
    /// The text is too long, did not settle, or the code has a bug (a panic is caught).
    pub fn try_mask<'t>(&self, text: &'t str) -> Result<Masked<'t>, Error> {
        let masked = self.mask_unreported(text)?;
        report(&masked.kinds);
        Ok(masked)
    }

    fn mask_unreported<'t>(&self, text: &'t str) -> Result<Masked<'t>, Error> {
        if !self.is_enabled() {
            return Ok(Masked {
                text: Cow::Borrowed(text),
                kinds: Kinds::new(),
            });
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::TooLong {
                bytes: text.len(),
                limit: MAX_TEXT_BYTES,
            });
        }
        guard(|| self.mask_until_stable(text))?
    }

    fn mask_until_stable<'t>(&self, text: &'t str) -> Result<Masked<'t>, Error> {
        let mut masked = Masked {
            text: Cow::Borrowed(text),
            kinds: Kinds::new(),
        };
        // The search after the last round decides, because a match near a replacement may be a false alarm.
        for round in 0..=ROUNDS {
            let view = View::new(&masked.text);
            let Found { spans, is_whole } = scan::find(view.text(), self.set, &self.custom);
            if spans.is_empty() {
                return Ok(masked);
            }
            if round == ROUNDS {
                break;
            }
            for span in &spans {
                *masked.kinds.entry(self.kind(span.label)).or_default() += 1;
            }
            let seen = span::render(view.text(), &spans, |label| self.marker(label));
            let is_stable = self.custom.is_empty() && self.is_stable_near(&spans, &seen, is_whole);
            let text = if view.is_source() {
                seen
            } else {
                let spans = in_source(&view, &spans);
                span::render(&masked.text, &spans, |label| self.marker(label))
            };
            masked.text = Cow::Owned(text);
            if is_stable {
                return Ok(masked);
            }
        }
        Err(Error::Unsettled { rounds: ROUNDS })
    }

    /// Whether nothing more is found near the replacements. No built-in matcher looks further, except those for whole
    /// structures, and these have already claimed everything they can.
    fn is_stable_near(&self, spans: &[Span], text: &str, is_whole: bool) -> bool {
        let window = |from: usize, to: usize| {
            let from = (0..=from)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            let to = (to..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(text.len());
            let piece = text.get(from..to).unwrap_or_default();
            !scan::finds_more(piece, self.set, is_whole)
        };
        let (mut shift, mut open) = (0_isize, None::<(usize, usize)>);
        for span in spans {
            let quotes = match span.quoting {
                span::Quoting::None => 0,
                span::Quoting::Double(depth) => 2 * (1 + usize::from(depth)),
            };
            let length = self.marker(span.label).len() + quotes;
            let start = span.start.saturating_add_signed(shift);
            shift += length.cast_signed() - (span.end - span.start).cast_signed();
            let from = start.saturating_sub(NEAR_BYTES);
            let to = (start + length + NEAR_BYTES).min(text.len());
            open = match open {
                Some((first, last)) if from <= last => Some((first, to)),
                Some((first, last)) if !window(first, last) => return false,
                _ => Some((from, to)),
            };
        }
        open.is_none_or(|(first, last)| window(first, last))
    }

    fn kind(&self, label: Label) -> Kind {
        match label {
            Label::BuiltIn(pattern) => pattern.kind(),
            Label::Custom(index) => self
                .custom
                .get(index)
                .map_or(Pattern::Secret.kind(), |c| c.kind.clone()),
        }
    }

    fn marker(&self, label: Label) -> &str {
        match label {
            Label::BuiltIn(pattern) => self
                .markers
                .get(pattern as usize)
                .map_or(WITHHELD, String::as_str),
            Label::Custom(index) => self
                .custom
                .get(index)
                .map_or(WITHHELD, |c| c.replacement.as_str()),
        }
    }
}

/// Converts the spans of a view to those of its source. No span begins before the end of the previous one.
fn in_source(view: &View<'_>, spans: &[Span]) -> Vec<Span> {
    let mut last = 0;
    let spans = spans.iter().map(|span| {
        let (start, end) = view.source(span.start, span.end);
        let start = start.max(last);
        last = end.max(start);
        Span {
            start,
            end: last,
            ..*span
        }
    });
    spans.collect()
}

/// Counts the masked secrets in the metrics.
pub(crate) fn report(kinds: &Kinds) {
    for (kind, values) in kinds {
        tarsy_metrics::masking::masked(kind.as_str(), *values);
    }
}

/// Returns the replacement for a text that could not be masked.
pub(crate) fn withheld() -> Masked<'static> {
    let kinds = Kinds::from([(Kind::built_in("withheld"), 1)]);
    Masked {
        text: Cow::Borrowed(WITHHELD),
        kinds,
    }
}

/// Runs `work` and converts a panic to an error.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| Error::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_a_matcher_panics_at_is_withheld() {
        let masker = Masker::new(&MaskingConfig::default()).expect("the default");
        let text = format!("user=bob password=hunter#2x {}", scan::DEFECT);
        assert!(matches!(masker.try_mask(&text), Err(Error::Internal)));
        let masked = masker.mask(&text);
        assert_eq!(masked.text, WITHHELD);
        assert_eq!(masked.kinds, withheld().kinds);
        assert_eq!(masker.mask_or_withhold(&text), WITHHELD);

        let value = serde_json::json!({"fine": "as it is", "rest": [text]});
        let (json, _) = masker.mask_json(&value);
        assert!(!json.to_string().contains("hunter"), "{json}");
        assert!(json.to_string().contains(WITHHELD), "{json}");
        assert_eq!(masker.mask("as it is").text, "as it is", "and goes on");
    }
}
