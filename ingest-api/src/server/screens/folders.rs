//! Where the built files are.

use std::path::{Path, PathBuf};

use crate::server::screens::Screen;

/// Below a folder of installed screens, or of a checkout.
const PLACES: [(Screen, [&str; 2]); 2] = [
    (Screen::Dashboard, ["dashboard", "web/dashboard/dist"]),
    (Screen::DevUi, ["dev-ui", "web/alert-dev-ui/dist"]),
];

/// How far above the program a checkout is looked for: `target/debug/deps/ingest-api`.
const LEVELS: usize = 5;

/// Folders that may hold built screens, the first that does wins.
#[derive(Clone, Debug)]
pub(crate) struct Screens(Vec<PathBuf>);

impl Screens {
    /// In `chosen` alone, where an operator named a folder; else next to the program, in
    /// `share/tarsy/screens` of where it is installed, or in the checkout it was built in or is
    /// run from.
    pub(crate) fn looked_for(chosen: Option<&Path>) -> Self {
        if let Some(folder) = chosen {
            return Self(vec![folder.to_owned()]);
        }
        let program = std::env::current_exe().unwrap_or_default();
        let mut roots = Vec::new();
        if let Some(beside) = program.parent() {
            roots.push(beside.join("screens"));
            roots.push(beside.join("../share/tarsy/screens"));
        }
        roots.extend(program.ancestors().skip(1).take(LEVELS).map(Path::to_owned));
        roots.extend(std::env::current_dir());
        Self(roots)
    }

    /// The folder of a screen's built files. Looked up anew each time: whoever builds the
    /// screens while the service runs sees them at once.
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

/// A checkout's sources have a page too, but no built assets next to it.
async fn is_built(folder: &Path) -> bool {
    let (page, assets) = tokio::join!(
        tokio::fs::metadata(folder.join("index.html")),
        tokio::fs::metadata(folder.join("assets")),
    );
    page.is_ok_and(|page| page.is_file()) && assets.is_ok_and(|assets| assets.is_dir())
}
