//! Masks a text that is still being written, for people who watch it grow.

use crate::masker::Masker;

/// Bytes at the end of an unfinished paragraph that are held back. The text that follows may show that they are a
/// secret.
const HELD_BACK_BYTES: usize = 80;

/// Labels of an agent's reply that do not name values.
const REPLY_LABELS: [&str; 3] = ["Thought:", "Final Answer:", "Observation:"];

impl Masker {
    /// Masks the part of a growing text that may already be shown. This part ends where later text can't turn anything
    /// before it into a part of a secret. Words are shown whole. Code, documents, and lines of names and values are
    /// held back until they have ended.
    ///
    /// Later results usually begin with earlier ones, but not always: a secret that occurs twice is replaced everywhere
    /// once it is recognised. The authoritative result is [`Masker::mask`] of the whole text.
    #[must_use]
    pub fn mask_growing(&self, text: &str) -> String {
        let length = showable_length(text);
        let Some(shown) = text.get(..length).filter(|shown| !shown.is_empty()) else {
            return String::new();
        };
        let shown = self.mask_part(shown).text;
        // Scan the part that is held back, too, because it may name text before it.
        let whole = self.mask_part(text).text;
        let mut same = common_prefix(&shown, &whole);
        if same < shown.len() {
            // Where the two texts diverge, one may have a replacement and the other half a word.
            same = shown
                .get(..same)
                .and_then(|same| same.rfind(char::is_whitespace))
                .unwrap_or(0);
        }
        shown.get(..same).unwrap_or_default().to_owned()
    }
}

/// Returns how many bytes of the beginning may be shown.
fn showable_length(text: &str) -> usize {
    let mut paragraph = Paragraph::default();
    let (mut is_code, mut end) = (false, 0);
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if is_fence(line) {
            is_code = !is_code;
            paragraph.start.get_or_insert(start);
            // Text after code may be its title, so wait for the next paragraph.
            paragraph.held_from.get_or_insert(start);
        } else if !is_code {
            paragraph.take(text, line, start);
        }
    }
    let Some(start) = paragraph.start else {
        return end;
    };
    let prose = word_before(text, end.saturating_sub(HELD_BACK_BYTES)).max(start);
    paragraph.held_from.map_or(prose, |held| held.min(prose))
}

/// The paragraph that a text ends with.
#[derive(Default)]
struct Paragraph {
    start: Option<usize>,
    /// Position at which text other than prose begins.
    held_from: Option<usize>,
    /// Number of braces that are open in it.
    braces: u32,
    /// Whether a key block is open in it.
    is_armored: bool,
}

impl Paragraph {
    fn take(&mut self, text: &str, line: &str, start: usize) {
        if line.trim().is_empty() {
            if line.ends_with('\n') && self.braces == 0 && !self.is_armored {
                *self = Self::default();
            }
            return;
        }
        let first = *self.start.get_or_insert(start);
        if let (None, Some(mark)) = (self.held_from, structure_mark(line)) {
            // A name before the mark is at most as long as the part of prose that is held back.
            let name = word_before(text, (start + mark).saturating_sub(HELD_BACK_BYTES));
            self.held_from = Some(name.max(start).max(first));
        }
        if line.contains("-----BEGIN ") {
            self.is_armored = true;
        }
        if line.contains("-----END ") {
            self.is_armored = false;
        }
        for byte in line.bytes() {
            match byte {
                b'{' => self.braces += 1,
                b'}' => self.braces = self.braces.saturating_sub(1),
                _ => {}
            }
        }
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns the position of a mark that shows that a line may belong to a document, code, or a list of names and values.
fn structure_mark(line: &str) -> Option<usize> {
    let label = REPLY_LABELS.iter().find(|label| line.starts_with(**label));
    let label = label.map_or(0, |label| label.len());
    let rest = line.get(label..).unwrap_or_default();
    let text = rest.trim();
    let is_item = text.starts_with("- ") || text.starts_with("* ");
    let is_indented = label == 0 && line.starts_with([' ', '\t']) && !is_item;
    if is_indented || text.starts_with(['|', '$', '[']) || text.starts_with('-') && !is_item {
        return Some(0);
    }
    let marks = ["=", "://", "{", "<", "\t", "|", "\\", "-----"];
    let found = marks.iter().filter_map(|mark| rest.find(mark)).min();
    // `name: value`. In prose, more words precede the colon.
    let key = rest.split_once(':').filter(|(key, value)| {
        !key.trim_start_matches(['-', '*', '>', ' ']).contains(' ')
            && (value.is_empty() || value.starts_with(char::is_whitespace))
    });
    let key = key.map(|_| label);
    key.into_iter().chain(found.map(|at| label + at)).min()
}

/// Returns the end of the last whole word before `end`.
fn word_before(text: &str, end: usize) -> usize {
    let end = text.floor_char_boundary(end);
    let head = text.get(..end).unwrap_or_default();
    head.rfind(char::is_whitespace).map_or(0, |at| {
        at + head[at..].chars().next().map_or(1, char::len_utf8)
    })
}

fn common_prefix(one: &str, other: &str) -> usize {
    let same = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    one.floor_char_boundary(same)
}
