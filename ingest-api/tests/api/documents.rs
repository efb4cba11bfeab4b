//! Checks that documents about the API are up to date.

use tarsy_ingest_api::Code;

use crate::server::Server;

#[test]
fn every_problem_code_is_in_the_errors_document() {
    let document = include_str!("../../../docs/ERRORS.md");
    let rows: Vec<_> = document
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            let code = cells.next()?.trim_matches('`').to_owned();
            Some((code, cells.next()?.to_owned(), cells.next()?.to_owned()))
        })
        .collect();
    let codes: Vec<_> = Code::ALL
        .iter()
        .map(|code| {
            (
                code.as_str().to_owned(),
                code.status().as_str().to_owned(),
                code.title().to_owned(),
            )
        })
        .collect();
    assert_eq!(rows, codes);
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let document: serde_json::Value =
        serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values());
    let mut names: Vec<_> = operations
        .map(|one| one["operationId"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    let repeated: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}

#[tokio::test]
async fn the_document_is_served() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.body;
    assert!(
        document["openapi"].as_str().unwrap().starts_with("3.1"),
        "{}",
        document["openapi"]
    );
    assert!(document["paths"]["/alerts"]["post"].is_object());
}
