//! Tests for cycles between the modules of each crate, by the `use` items at the top level of files.
//!
//! A module and its descendants may use each other freely. Between other modules, uses must point one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::workspace::{members, rust_files};

/// Number of modules that are still in cycles, by crate. Numbers may only decrease. A crate not listed has none.
const LEFT: &[(&str, usize)] = &[
    ("tarsy-agent", 4),
    ("tarsy-bench", 3),
    ("tarsy-config", 2),
    ("tarsy-masking", 27),
    ("tarsy-model-check", 2),
    ("tarsy-queue", 13),
    ("tarsy-torture", 4),
];

#[test]
fn modules_use_each_other_in_one_direction() {
    let mut broken = Vec::new();
    for crate_ in members() {
        let folder = crate_.manifest.parent().unwrap().join("src");
        let cycles = Modules::read(&folder).cycles();
        let found: usize = cycles.iter().map(BTreeSet::len).sum();
        let left = LEFT.iter().find(|(name, _)| *name == crate_.name);
        if found > left.map_or(0, |(_, number)| *number) {
            let cycles = cycles.iter().map(|cycle| {
                let names: Vec<_> = cycle.iter().map(String::as_str).collect();
                names.join(", ")
            });
            let cycles: Vec<_> = cycles.collect();
            broken.push(format!("{}:\n  {}", crate_.name, cycles.join("\n  ")));
        }
    }
    assert!(
        broken.is_empty(),
        "cycles of modules:\n{}",
        broken.join("\n")
    );
}

#[test]
fn a_cycle_is_found_through_reexports_and_a_tree_is_none() {
    let modules = |files: &[(&str, &str)]| {
        let texts = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Modules::from_files(texts.collect())
    };
    let ring = modules(&[
        ("", "mod a;\nmod b;"),
        ("a", "pub(crate) use inner::Item;"),
        ("a::inner", "use crate::{\n    b::{Other, Third},\n};"),
        ("b", "use super::a::Item as Named;"),
    ]);
    let expected = BTreeSet::from(["a::inner".to_owned(), "b".to_owned()]);
    assert_eq!(ring.cycles(), [expected]);
    let tree = modules(&[
        ("", "mod a;\nmod b;"),
        ("a", "mod inner;\nuse inner::Item;\nuse crate::b::Other;"),
        ("a::inner", "use super::Shared;"),
        (
            "b",
            "use std::fs;\n\nmod tests {\n    use crate::a::Shared;\n}",
        ),
    ]);
    assert_eq!(tree.cycles(), [] as [BTreeSet<String>; 0]);
}

/// The modules of a crate by path (`a::b`; the root is empty), with the paths that each uses.
struct Modules(BTreeMap<String, Vec<Use>>);

struct Use {
    path: Vec<String>,
    /// Its local name in the module that uses it.
    name: String,
}

impl Modules {
    fn read(folder: &Path) -> Self {
        let files = rust_files(folder).into_iter().map(|file| {
            let path = file.strip_prefix(folder).unwrap().with_extension("");
            let mut path: Vec<_> = path
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            if matches!(
                path.last().map(String::as_str),
                Some("mod" | "lib" | "main")
            ) {
                path.pop();
            }
            (path.join("::"), fs::read_to_string(&file).unwrap())
        });
        Self::from_files(files.collect())
    }

    fn from_files(files: Vec<(String, String)>) -> Self {
        let mut modules = BTreeMap::<String, Vec<Use>>::new();
        for (name, text) in files {
            modules.entry(name).or_default().extend(uses(&text));
        }
        Self(modules)
    }

    /// Returns the groups of modules that use each other, directly or through others.
    fn cycles(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .0
            .keys()
            .map(|module| (module.as_str(), self.reached_from(module)))
            .collect();
        let mut cycles = BTreeSet::new();
        for (module, others) in &reached {
            let back = others
                .iter()
                .filter(|other| reached[**other].contains(module));
            let cycle: BTreeSet<String> = back.map(|other| (*other).to_owned()).collect();
            if cycle.len() > 1 {
                cycles.insert(cycle);
            }
        }
        cycles.into_iter().collect()
    }

    fn reached_from<'m>(&'m self, module: &'m str) -> BTreeSet<&'m str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![module];
        while let Some(next) = open.pop() {
            open.extend(
                self.used_by(next)
                    .filter(|used| reached.insert(*used))
                    .collect::<Vec<_>>(),
            );
        }
        reached
    }

    fn used_by<'m>(&'m self, module: &'m str) -> impl Iterator<Item = &'m str> {
        let uses = self.0[module].iter();
        let targets = uses.filter_map(move |used| {
            let path = self.absolute(module, &used.path)?;
            Some(self.home_of(&path, 0))
        });
        targets.filter(move |target| !is_within(module, target) && !is_within(target, module))
    }

    /// Converts a path to one from the root of the crate; `None`: it leads out of the crate.
    fn absolute(&self, module: &str, path: &[String]) -> Option<Vec<String>> {
        let mut base = parts(module);
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            child => {
                base.push(child.to_owned());
                let is_ours = self.0.contains_key(&base.join("::"));
                base.pop();
                if !is_ours {
                    return None;
                }
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// Returns the module that defines the item of a path. Follows reexports.
    fn home_of(&self, path: &[String], depth: usize) -> &str {
        let mut length = path.len();
        while length > 0 && !self.0.contains_key(&path[..length].join("::")) {
            length -= 1;
        }
        let (name, uses) = self
            .0
            .get_key_value(&path[..length].join("::"))
            .expect("every crate has a root");
        let reexport = path
            .get(length)
            .and_then(|item| uses.iter().find(|used| used.name == *item));
        if let Some(used) = reexport.filter(|_| depth < 8)
            && let Some(mut target) = self.absolute(name, &used.path)
        {
            target.extend_from_slice(&path[length + 1..]);
            return self.home_of(&target, depth + 1);
        }
        name
    }
}

fn is_within(module: &str, ancestor: &str) -> bool {
    let (module, ancestor) = (parts(module), parts(ancestor));
    module.starts_with(&ancestor)
}

fn parts(module: &str) -> Vec<String> {
    let parts = module.split("::").filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// Returns the `use` items of a file that begin at the start of a line, so without those of inline modules.
fn uses(text: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((item, after)) = next_use(rest) {
        for path in expand(&item.split_whitespace().collect::<Vec<_>>().join(" ")) {
            let (path, name) = path.split_once(" as ").unwrap_or((&path, ""));
            let path: Vec<String> = path
                .split("::")
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty() && part != "*")
                .collect();
            let name = match name {
                "" => path.last().cloned().unwrap_or_default(),
                name => name.to_owned(),
            };
            found.push(Use { path, name });
        }
        rest = after;
    }
    found
}

/// Returns the text between the next `use` and its `;`, and the text after it.
fn next_use(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let visible = line.strip_prefix("pub").map_or(line, |rest| {
            let rest = rest.trim_start();
            let scope = rest
                .strip_prefix('(')
                .and_then(|scope| scope.split_once(')'));
            scope.map_or(rest, |(_, rest)| rest).trim_start()
        });
        if let Some(item) = visible.strip_prefix("use ") {
            let start = from + line.len() - item.len();
            return text[start..].split_once(';');
        }
        from += line.len();
    }
    None
}

/// Returns each path of a `use` with braces.
fn expand(item: &str) -> Vec<String> {
    let Some((head, group)) = item.split_once('{') else {
        return vec![item.trim().to_owned()];
    };
    let inner = group.rsplit_once('}').map_or(group, |(inner, _)| inner);
    let mut members = vec![String::new()];
    let mut depth = 0;
    for character in inner.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(member) = members.last_mut() {
            member.push(character);
        }
    }
    let members = members.iter().map(|member| member.trim());
    members
        .filter(|member| !member.is_empty())
        .flat_map(|member| expand(&format!("{}{member}", head.trim())))
        .collect()
}
