//! Lists what a group changes in real files: `cargo run --release -p tarsy-masking --example real_files -- DIR…`
//!
//! Counts the lines of every text file below the directories (each content once, up to 1 MiB), and the lines that
//! masking changes. A JSON or YAML file that parsed before must parse afterwards, with the same keys at the same
//! places. `--changes FILE` writes the changed lines, for a comparison with those of another build. `--copies DIR`
//! writes the changed files before and after, for parsers of other formats.
#![expect(clippy::print_stdout, reason = "a measurement says what it measured")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tarsy_masking::Masker;

/// Largest file that is read, in bytes.
const FILE_BYTES: u64 = 1 << 20;
/// Most lines that one replacement covers.
const LINES: usize = 400;

fn main() -> Result<(), String> {
    let (mut changes, mut copies, mut roots) = (None, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--changes" => changes = arguments.next(),
            "--copies" => copies = arguments.next().map(PathBuf::from),
            _ => roots.push(PathBuf::from(argument)),
        }
    }
    let masker = Masker::group("security").ok_or("no such group")?;
    let mut tally = Tally::default();
    for root in &roots {
        tally.walk(&masker, root, copies.as_deref());
    }
    println!(
        "{} files, {} lines: {} lines touched in {} files; {} JSON and YAML files parse, {} no more or with other keys",
        tally.files,
        tally.lines,
        tally.touched_lines,
        tally.touched_files,
        tally.parsed,
        tally.broken,
    );
    if let Some(file) = changes {
        std::fs::write(&file, tally.changes).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// Counts over all files.
#[derive(Default)]
struct Tally {
    files: usize,
    lines: usize,
    touched_files: usize,
    touched_lines: usize,
    parsed: usize,
    broken: usize,
    seen: HashSet<String>,
    changes: String,
}

impl Tally {
    fn walk(&mut self, masker: &Masker, path: &Path, copies: Option<&Path>) {
        let Ok(about) = path.symlink_metadata() else {
            return;
        };
        if about.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                self.walk(masker, &path, copies);
            }
        } else if about.is_file() && about.len() <= FILE_BYTES {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            if !text.is_empty() && self.seen.insert(text.clone()) {
                self.add(masker, path, &text, copies);
            }
        }
    }

    fn add(&mut self, masker: &Masker, path: &Path, text: &str, copies: Option<&Path>) {
        let masked = masker.mask(text).text;
        self.files += 1;
        self.lines += text.lines().count();
        let before = parse(path, text);
        self.parsed += usize::from(before.is_some());
        if masked == text {
            return;
        }
        self.touched_files += 1;
        if let Some(before) = before
            && !parse(path, &masked).is_some_and(|after| has_same_keys(&before, &after))
        {
            self.broken += 1;
            println!("BROKEN {}", path.display());
        }
        let lines: Vec<_> = text.lines().collect();
        let mut number = 0;
        for (place, line) in masked.lines().enumerate() {
            if lines.get(number) == Some(&line) {
                number += 1;
                continue;
            }
            // A replacement of several lines ends before the next line that is in both texts.
            let next = masked.lines().nth(place + 1);
            let several = ["PRIVATE_KEY]", "CERTIFICATE]", "_SECRET]"]
                .iter()
                .any(|end| line.contains(end));
            let rest = lines.iter().skip(number + 1).take(LINES);
            let count = rest
                .map(Some)
                .chain([None])
                .position(|line| line.copied() == next)
                .unwrap_or(0);
            let count = if several { count + 1 } else { 1 };
            let before = lines.get(number).copied().unwrap_or_default();
            let _ = writeln!(
                self.changes,
                "{}:{}: {before}\t{line}",
                path.display(),
                number + 1
            );
            self.touched_lines += count;
            number += count;
        }
        if let Some(directory) = copies {
            let name = format!(
                "{}-{}",
                self.touched_files,
                path.file_name().unwrap_or_default().display()
            );
            let _ = std::fs::write(directory.join(format!("{name}.before")), text);
            let _ = std::fs::write(directory.join(format!("{name}.after")), masked.as_bytes());
        }
    }
}

/// Parses `text` if it is one JSON or YAML document.
fn parse(path: &Path, text: &str) -> Option<Value> {
    match path.extension()?.to_str()? {
        "json" => serde_json::from_str(text).ok(),
        "yaml" | "yml" => serde_saphyr::from_str(text).ok(),
        _ => None,
    }
}

/// Whether both values have the same keys and the same number of items at every level.
fn has_same_keys(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|o| has_same_keys(value, o)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| has_same_keys(a, b))
        }
        (Value::Object(_) | Value::Array(_), _) => false,
        (_, other) => !other.is_object() && !other.is_array(),
    }
}
