//! Problem responses in the OpenAPI document.

use serde::Serialize;
use tarsy_intake::FieldError;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

const BODY: [(&str, &str); 4] = [
    ("400", "Malformed JSON"),
    ("413", "The body is too large"),
    ("415", "The content type is not JSON"),
    ("422", "Invalid body; `errors` names each field"),
];
const QUERY: [(&str, &str); 1] = [("400", "Invalid query parameter")];

/// Adds the problem responses that an operation has because of its body or query. Also adds the
/// content of the problem responses for which its handler names only status and description.
pub(crate) fn describe_problems(operation: &mut Operation) {
    if operation.request_body.is_some() {
        add_problems(operation, BODY);
    }
    let parameters = operation.parameters.iter().flatten();
    let has_query = parameters
        .into_iter()
        .any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query));
    if has_query {
        add_problems(operation, QUERY);
    }
    for (status, response) in &mut operation.responses.responses {
        let is_problem = status.starts_with(['4', '5']);
        if let RefOr::T(response) = response
            && is_problem
            && response.content.is_empty()
        {
            let (media_type, content) = content();
            response.content.insert(media_type, RefOr::T(content));
        }
    }
}

/// Adds problem responses, except those that the handler describes itself.
pub(crate) fn add_problems(
    operation: &mut Operation,
    problems: impl IntoIterator<Item = (&'static str, &'static str)>,
) {
    for (status, description) in problems {
        let responses = &mut operation.responses.responses;
        responses
            .entry(status.to_owned())
            .or_insert_with(|| RefOr::T(problem(description)));
    }
}

fn problem(description: &str) -> Response {
    let (media_type, content) = content();
    ResponseBuilder::new()
        .description(description)
        .content(media_type, content)
        .build()
}

fn content() -> (String, Content) {
    let schema = RefOr::Ref(Ref::from_schema_name("Problem"));
    (
        "application/problem+json".to_owned(),
        Content::new(Some(schema)),
    )
}

/// Body of every unsuccessful response (RFC 9457). Some codes have additional members.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// Kind of problem: `urn:tarsy:problem:<code>`.
    #[serde(rename = "type")]
    kind: String,
    /// Same text for every problem with this code.
    title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// Stable code, see docs/ERRORS.md.
    #[schema(example = "invalid_alert")]
    code: String,
    /// Details of this occurrence.
    detail: String,
    /// Invalid fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<FieldError>>,
}
