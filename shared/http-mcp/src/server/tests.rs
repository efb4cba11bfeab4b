use proptest::prelude::*;
use reqwest::header::HeaderMap;

use super::*;
use crate::Error;

const FILE: &str = r#"
apis:
  status:
    url: https://status.example/api/v2
    headers: {Authorization: {env: STATUS_TOKEN, prefix: "Bearer "}, X-Team: sre}
    tools:
      incident:
        description: One incident
        effect: read_only
        path: /incidents/{id}
        query: {fields: "{fields}", limit: "20"}
        arguments:
          id: {type: text}
          fields: {type: word}
        keep: $.data.updates[*].body
      note:
        description: Adds a note
        effect: destructive
        method: POST
        path: incidents/{id}/notes
        body: {note: {text: "{text}", priority: "{priority}"}, by: tarsy}
        arguments:
          id: {type: integer}
          text: {type: text}
          priority: {type: integer, max: 5}
"#;

fn policy(text: &str) -> Result<Policy, Error> {
    tarsy_telemetry::install_crypto();
    Policy::parse("http.yaml", text, |name| {
        (name == "STATUS_TOKEN").then(|| "t0ken".to_owned())
    })
}

fn request(tool: &str, arguments: Value) -> Result<(String, Option<Value>), String> {
    let policy = policy(FILE).expect("a policy");
    let request = policy.endpoints[tool].request(arguments.as_object().expect("an object"))?;
    Ok((request.url.to_string(), request.body))
}

#[test]
fn a_tool_is_one_request_with_typed_values() {
    let server = HttpServer::new(policy(FILE).expect("a policy"));
    let names: Vec<&str> = server.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["status_incident", "status_note"]);
    let hints = server.tools[1].annotations.as_ref().expect("hints");
    assert_eq!(hints.destructive_hint, Some(true));
    assert_eq!(
        server.tools[0].input_schema["required"],
        json!(["id"]),
        "what is in the query may be left out"
    );

    let (url, body) = request(
        "status_incident",
        json!({"id": "a/../b?c", "fields": "body"}),
    )
    .unwrap();
    assert_eq!(
        url,
        "https://status.example/api/v2/incidents/a%2F..%2Fb%3Fc?fields=body&limit=20"
    );
    assert_eq!(body, None);
    let (url, _) = request("status_incident", json!({"id": "7"})).unwrap();
    assert_eq!(url, "https://status.example/api/v2/incidents/7?limit=20");
    let (url, body) = request(
        "status_note",
        json!({"id": 7, "text": "\"{id}\", again", "priority": 2}),
    )
    .unwrap();
    assert_eq!(url, "https://status.example/api/v2/incidents/7/notes");
    assert_eq!(
        body,
        Some(json!({"note": {"text": "\"{id}\", again", "priority": 2}, "by": "tarsy"}))
    );
}

#[test]
fn what_a_tool_does_not_take_is_refused_with_what_it_takes() {
    for (tool, arguments, said) in [
        ("status_incident", json!({}), "`id` is missing"),
        ("status_incident", json!({"id": ".."}), "`.` or `..`"),
        (
            "status_incident",
            json!({"id": "7", "url": "http://x"}),
            "no argument `url`",
        ),
        (
            "status_note",
            json!({"id": "7 or 1", "text": "x", "priority": 1}),
            "an integer from 0",
        ),
        (
            "status_note",
            json!({"id": 7, "text": "x", "priority": 9}),
            "an integer from 0 to 5",
        ),
    ] {
        let error = request(tool, arguments).expect_err("a refusal");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn mistakes_of_the_file_are_named_with_their_place() {
    for (from, to, said) in [
        (
            "https://status",
            "http://status",
            "apis.status.url: `http` is not allowed",
        ),
        (
            "https://status.example",
            "https://10.0.0.7",
            "not public; `private`",
        ),
        (
            "https://status.example",
            "https://me:pw@status.example",
            "credentials",
        ),
        (
            "STATUS_TOKEN",
            "OTHER",
            "headers.Authorization: `OTHER` is not set",
        ),
        (
            "/incidents/{id}\n",
            "/incidents/../{id}\n",
            "a path has no `..`",
        ),
        (
            "fields: {type: word}",
            "other: {type: word}",
            "argument `fields` has no type",
        ),
        (
            "effect: read_only",
            "effect: destructive",
            "a GET only reads",
        ),
        ("$.data", "data", "no JSONPath"),
        ("keep:", "keeps:", "keeps"),
        ("      note:", "      \"a b\":", "names have letters"),
    ] {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE);
        let error = policy(&text).expect_err(to).to_string();
        assert!(error.contains(said), "{to}: {error}");
    }
}

#[test]
fn of_an_answer_the_wanted_part_is_kept() {
    let policy = policy(FILE).expect("a policy");
    let answer = |body: &str| Response {
        status: reqwest::StatusCode::OK,
        headers: HeaderMap::new(),
        body: body.as_bytes().to_vec(),
        url: url::Url::parse("https://status.example").expect("a URL"),
    };
    let endpoint = &policy.endpoints["status_incident"];
    for (body, expected) in [
        (
            r#"{"data": {"updates": [{"body": "a"}, {"body": "b"}]}}"#,
            r#"["a","b"]"#,
        ),
        (r#"{"data": {"updates": [{"body": "a"}]}}"#, r#""a""#),
        (
            r#"{"data": {}}"#,
            "the answer has nothing at $.data.updates[*].body",
        ),
    ] {
        assert_eq!(kept(endpoint, &answer(body)).as_deref(), Ok(expected));
    }
    assert!(kept(endpoint, &answer("<html>")).is_err());
    assert_eq!(cut("äöü".to_owned(), 3), "ä\n[cut: 3 of 6 bytes]");
}

proptest! {
    #[test]
    fn no_value_leads_to_another_host_or_path(id in ".{1,40}", fields in ".{0,20}") {
        if let Ok((url, _)) = request("status_incident", json!({"id": id, "fields": fields})) {
            let url = url::Url::parse(&url).expect("a URL");
            prop_assert_eq!(url.host_str(), Some("status.example"));
            prop_assert!(url.path().starts_with("/api/v2/incidents/"));
            prop_assert_eq!(url.path_segments().expect("segments").count(), 4);
        }
    }
}
