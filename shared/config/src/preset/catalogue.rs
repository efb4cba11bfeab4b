//! The presets that are built into the program.

use std::sync::LazyLock;

use super::Preset;

/// Embeds the files of presets, which must be sorted by name.
macro_rules! presets {
    ($($name:literal),+ $(,)?) => {
        /// Names of all presets, sorted.
        pub(crate) const NAMES: [&str; [$($name),+].len()] = [$($name),+];
        const TEXTS: [&str; NAMES.len()] = [$(include_str!(concat!("../presets/", $name, ".yaml"))),+];
    };
}

presets![
    "alertmanager",
    "argocd",
    "aws-cloudwatch",
    "azure-monitor",
    "datadog",
    "elasticsearch",
    "github",
    "gitlab",
    "google-cloud",
    "grafana",
    "jira",
    "kubernetes",
    "loki",
    "opensearch",
    "pagerduty",
    "postgres",
    "prometheus",
];

/// Parsed once, because a configuration may be loaded many times.
static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let files = NAMES.into_iter().zip(TEXTS);
    // A test checks that every file is valid.
    files
        .filter_map(|(name, text)| read(name, text).ok())
        .collect()
});

fn read(name: &'static str, text: &str) -> Result<Preset, serde_saphyr::Error> {
    let preset = serde_saphyr::from_str(text)?;
    Ok(Preset { name, ..preset })
}

/// Returns every preset, sorted by name.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}

/// Returns a preset by its name.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::{Registry, is_key};
    use super::{NAMES, TEXTS, read};

    #[test]
    fn every_file_is_read_without_a_problem() {
        for (name, text) in NAMES.into_iter().zip(TEXTS) {
            let preset = read(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!text.contains('$'), "{name}: a `$` would be filled in");
            let mut keys = preset.keys.iter().map(|key| key.key.as_str());
            assert!(keys.all(is_key), "{name}: unknown key");
            let package = &preset.package;
            let is_pinned = package.version.is_some() || package.registry == Registry::Tarsy;
            assert!(is_pinned, "{name}: packages are pinned");
            assert!(preset.documentation.starts_with("https://"), "{name}");
        }
        assert!(NAMES.is_sorted());
    }
}
