//! The tools and their schemas. The descriptions list the existing collections and filters.

use rmcp::model::Tool;
use serde_json::json;
use tarsy_knowledge::store::Collection;
use tarsy_mcp_server::read_only_tool as tool;

/// Returns all tools; `sql` only if it can be called.
pub(crate) fn all(collections: &[Collection], has_sql: bool) -> Vec<Tool> {
    let names: Vec<&str> = collections.iter().map(|one| one.name.as_str()).collect();
    let filters = listed(collections, |field| field.is_filter());
    let filter_schema = json!({
        "type": "object",
        "description": format!("values that fields must have, by field; of one field any of a list. Fields: {filters}"),
        "additionalProperties": {"anyOf": [
            {"type": ["string", "number", "boolean"]},
            {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "maxItems": 50},
        ]},
    });
    let collection =
        json!({"type": "string", "description": format!("one of: {}", names.join(", "))});
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 50, "description": "most records, default 10"});
    let mut tools = vec![
        tool(
            "search",
            format!(
                "Search records by a question, keywords or identifiers; records with an identifier of the question come \
                 first. Collections: {}. Cite results by their chunk_id.",
                names.join(", ")
            ),
            json!({
                "query": {"type": "string", "maxLength": 4000},
                "collections": {"type": "array", "items": {"type": "string"}, "description": "default: all"},
                "filters": filter_schema, "limit": limit,
            }),
            &["query"],
        ),
        tool(
            "lookup",
            "List records whose fields have exact values.",
            json!({"collection": collection, "filters": filter_schema, "limit": limit}),
            &["collection", "filters"],
        ),
        tool(
            "get",
            "Read one whole record by its key.",
            json!({"collection": collection, "key": {"type": "string"}}),
            &["collection", "key"],
        ),
        tool(
            "describe",
            "List collections with their fields: types, identifiers, filters.",
            json!({}),
            &[],
        ),
    ];
    if has_sql {
        let columns = listed(collections, |_| true);
        tools.push(tool(
            "sql",
            format!(
                "Answer one SELECT (PostgreSQL) for counts, lists and exact comparisons: at most 200 rows and 3 seconds. \
                 Each collection is a table: {columns}. No other tables; plain functions and aggregates only."
            ),
            json!({"statement": {"type": "string", "maxLength": 8000}}),
            &["statement"],
        ));
    }
    tools
}

/// Lists fields by collection: `a (x, y); b (z)`.
fn listed(collections: &[Collection], wanted: impl Fn(&tarsy_knowledge::Field) -> bool) -> String {
    let one = |collection: &Collection| {
        let fields = collection
            .mapping
            .fields
            .iter()
            .filter(|field| wanted(field));
        let fields: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        format!("{} ({})", collection.name, fields.join(", "))
    };
    collections.iter().map(one).collect::<Vec<_>>().join("; ")
}
