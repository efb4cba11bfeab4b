//! Links to the program that have the name of a service and run it: `ingest-api` is `tarsy ingest-api`.

use std::ffi::OsString;
use std::path::Path;

const SERVICES: [&str; 3] = ["ingest-api", "chain-worker", "stage-worker"];

/// Returns the command line with the service's command inserted, if the program was called by a service's name.
pub(crate) fn resolve(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    let service = SERVICES
        .iter()
        .find(|service| name == Some(service.as_ref()));
    if let Some(service) = service {
        arguments.insert(1, service.into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_named_after_a_service_runs_it() {
        let resolved = |arguments: &[&str]| resolve(arguments.iter().map(Into::into).collect());
        assert_eq!(
            resolved(&["/usr/bin/chain-worker", "--help"]),
            ["/usr/bin/chain-worker", "chain-worker", "--help"]
        );
        assert_eq!(resolved(&["tarsy", "up"]), ["tarsy", "up"]);
    }
}
