//! Documents of the package. They have the same layout as in the source, so that their links work.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::list;

/// Folder in which they are installed.
const FOLDER: &str = "usr/share/doc/tarsy";

/// Documents, and the files that they link to.
const DOCUMENTS: [&str; 12] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE",
    "docs",
    "clients/python/README.md",
    "config/agents.yaml",
    "config/cluster.yaml",
    "deploy/grafana",
    "deploy/oauth2-proxy.yaml",
    "deploy/prometheus",
];

/// Returns each document with its path in the package.
pub(super) fn files() -> impl Iterator<Item = (&'static str, String)> {
    let documents = DOCUMENTS
        .iter()
        .map(|path| (*path, format!("{FOLDER}/{path}")));
    // Debian requires this name.
    documents.chain([("LICENSE", format!("{FOLDER}/copyright"))])
}

/// Checks that the targets of links in installed documents exist, and the documents that units name.
pub(super) fn check(root: &Path) -> Result<()> {
    let mut installed = Vec::new();
    list(root, &mut installed)?;
    let mut broken = Vec::new();
    for file in &installed {
        let kind = file.extension().and_then(|kind| kind.to_str());
        let is_there = |target: &str| match target.strip_prefix('/') {
            Some(path) => root.join(path).exists(),
            None => file
                .parent()
                .is_some_and(|folder| folder.join(target).exists()),
        };
        let targets: Vec<String> = match kind {
            Some("md") => links(&fs::read_to_string(file)?),
            Some("service" | "target") => documentation(&fs::read_to_string(file)?),
            _ => continue,
        };
        let missing = targets.into_iter().filter(|target| !is_there(target));
        broken.extend(missing.map(|target| format!("{}: {target}", file.display())));
    }
    ensure!(
        broken.is_empty(),
        "the package lacks what its documents link to:\n{}",
        broken.join("\n")
    );
    Ok(())
}

/// Returns the relative links in a Markdown text, without their anchors.
fn links(text: &str) -> Vec<String> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next());
    targets
        .filter(|target| !target.is_empty() && !target.contains(':'))
        .map(str::to_owned)
        .collect()
}

/// Returns the local documents that a unit names.
fn documentation(unit: &str) -> Vec<String> {
    unit.lines()
        .filter_map(|line| line.strip_prefix("Documentation=file://"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_documents_are_found() {
        let text = "[a](docs/A.md#b), [c](#d), [e](https://example.com) and ![f](images/f.png)";
        assert_eq!(links(text), ["docs/A.md", "images/f.png"]);
        let unit = "[Unit]\nDocumentation=file:///usr/share/doc/tarsy/docs/A.md\n";
        assert_eq!(documentation(unit), ["/usr/share/doc/tarsy/docs/A.md"]);
    }
}
