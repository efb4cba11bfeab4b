//! Splits a record's text into chunks for search.

use serde_json::{Map, Value};

use crate::mapping::Mapping;

/// Maximum number of words of a chunk, without its title.
const MAX_WORDS: usize = 220;

/// Splits a record into chunks. Each begins with the title. Lines are not split if they fit into a chunk.
pub(crate) fn chunks(mapping: &Mapping, values: &Map<String, Value>) -> Vec<String> {
    let title = mapping
        .title
        .as_ref()
        .and_then(|name| values.get(name))
        .map(shown);
    let mut chunks = Vec::new();
    let mut chunk = Chunk::new(title.as_deref());
    for field in &mapping.fields {
        let is_title = mapping.title.as_ref() == Some(&field.name);
        let Some(value) = values
            .get(&field.name)
            .filter(|_| field.search && !is_title)
        else {
            continue;
        };
        let text = shown(value);
        let label = field.name.replace('_', " ");
        let text = match text.contains('\n') {
            true => format!("{label}:\n{text}"),
            false => format!("{label}: {text}"),
        };
        for line in text.lines() {
            chunk.add(line, &mut chunks);
        }
    }
    chunk.end(&mut chunks);
    chunks
}

/// Returns a value as text.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

struct Chunk<'t> {
    title: Option<&'t str>,
    text: String,
    words: usize,
}

impl<'t> Chunk<'t> {
    fn new(title: Option<&'t str>) -> Self {
        let text = title.unwrap_or_default().to_owned();
        let words = 0;
        Self { title, text, words }
    }

    fn add(&mut self, line: &str, chunks: &mut Vec<String>) {
        let words = line.split_whitespace().count();
        if self.words + words <= MAX_WORDS {
            self.push(line, words);
            return;
        }
        if words <= MAX_WORDS {
            self.cut(chunks);
            self.push(line, words);
            return;
        }
        let all: Vec<&str> = line.split_whitespace().collect();
        for part in all.chunks(MAX_WORDS) {
            self.add(&part.join(" "), chunks);
        }
    }

    fn push(&mut self, line: &str, words: usize) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.words += words;
    }

    fn cut(&mut self, chunks: &mut Vec<String>) {
        let next = Chunk::new(self.title);
        std::mem::replace(self, next).end(chunks);
    }

    /// Returns the chunks. A record without text has one empty chunk, for its filters.
    fn end(self, chunks: &mut Vec<String>) {
        if self.words > 0 || chunks.is_empty() {
            chunks.push(self.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::chunks;
    use crate::mapping::Mapping;

    fn cut(steps: &str) -> Vec<String> {
        let mapping =
            "title: name\nfields: [{name: id, search: false}, {name: name}, {name: test_steps}]";
        let mapping = Mapping::parse("m", mapping).unwrap();
        let values = json!({"id": "7", "name": "Power loss", "test_steps": steps});
        chunks(&mapping, values.as_object().unwrap())
    }

    #[test]
    fn a_short_record_is_one_chunk() {
        assert_eq!(
            cut("1. pull\n2. wait"),
            ["Power loss\ntest steps:\n1. pull\n2. wait"]
        );
    }

    #[test]
    fn a_long_record_is_cut_between_lines_and_keeps_its_title() {
        let line = "word ".repeat(100);
        let found = cut(&format!("{line}\n{line}\n{line}\nend"));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|chunk| chunk.starts_with("Power loss\n")));
        assert!(found[1].ends_with("\nend"));
        let found = cut(&"x ".repeat(1_000));
        let words: Vec<_> = found
            .iter()
            .map(|chunk| chunk.split_whitespace().count())
            .collect();
        assert_eq!(words.iter().sum::<usize>(), 1_000 + 2 * words.len() + 2);
        assert!(words.iter().all(|words| *words <= 224), "{words:?}");
    }
}
