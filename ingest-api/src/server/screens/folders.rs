//! Finds the directories of the built apps.

use std::path::{Path, PathBuf};

use crate::server::screens::Screen;

/// Paths of the apps, below a directory of installed apps or below a checkout.
const PLACES: [(Screen, [&str; 2]); 2] = [
    (Screen::Dashboard, ["dashboard", "web/dashboard/dist"]),
    (Screen::DevUi, ["dev-ui", "web/alert-dev-ui/dist"]),
];

/// Number of parent directories of the program that may be a checkout, as in `target/debug/deps/ingest-api`.
const LEVELS: usize = 5;

/// Directories that may hold built apps. The first one that does wins.
#[derive(Clone, Debug)]
pub(crate) struct Screens(Vec<PathBuf>);

impl Screens {
    /// Returns only `chosen`, if an operator named a directory. Otherwise returns the directories
    /// next to the program, in `share/tarsy/screens` of the installation, and in a checkout. The
    /// checkout is the one that the program was built in or runs in.
    pub(crate) fn candidates(chosen: Option<&Path>) -> Self {
        if let Some(folder) = chosen {
            return Self(vec![folder.to_owned()]);
        }
        let program = std::env::current_exe().unwrap_or_default();
        let mut roots = Vec::new();
        if let Some(folder) = program.parent() {
            roots.push(folder.join("screens"));
            roots.push(folder.join("../share/tarsy/screens"));
        }
        roots.extend(program.ancestors().skip(1).take(LEVELS).map(Path::to_owned));
        roots.extend(std::env::current_dir());
        Self(roots)
    }

    /// Returns the directory of an app's built files. It is searched each time, so that apps that
    /// are built while the service runs appear at once.
    pub(crate) async fn folder(&self, screen: Screen) -> Option<PathBuf> {
        let places = PLACES.iter().filter(|(of, _)| *of == screen);
        let places: Vec<&str> = places.flat_map(|(_, places)| places).copied().collect();
        for root in &self.0 {
            for place in &places {
                let folder = root.join(place);
                if is_built(&folder).await {
                    return Some(folder);
                }
            }
        }
        None
    }
}

/// Returns whether a directory holds a built app. The sources in a checkout have a page too, but no
/// built assets next to it.
async fn is_built(folder: &Path) -> bool {
    let (page, assets) = tokio::join!(
        tokio::fs::metadata(folder.join("index.html")),
        tokio::fs::metadata(folder.join("assets")),
    );
    page.is_ok_and(|page| page.is_file()) && assets.is_ok_and(|assets| assets.is_dir())
}
