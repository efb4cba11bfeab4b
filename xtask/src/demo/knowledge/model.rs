//! The scripted model of the demo. It routes questions by their words, and quotes the evidence that it gets.

use serde_json::{Value, json};
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};

/// Responds to each kind of request of the chain: a route, a summary, a rewritten question, or an answer from evidence.
pub(super) fn answer(request: &SeenRequest) -> Behaviour {
    let prompt = request.messages.last().map(|message| message.text.as_str());
    let prompt = prompt.unwrap_or_default();
    let reply = if prompt.contains("Decide how a question about stored records is looked up") {
        route(question(prompt))
    } else if prompt.contains("Summarize the beginning of a conversation") {
        let questions = prompt
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Question: "));
        let questions: String = questions
            .collect::<Vec<_>>()
            .join("; ")
            .chars()
            .take(2_000)
            .collect();
        json!({"summary": format!("It was asked: {questions}")})
    } else if prompt.contains("Rewrite the question") {
        let mut lines = prompt.lines().rev();
        let question = lines.find_map(|line| line.trim().strip_prefix("Question: "));
        json!({"search_query": question.unwrap_or_default()})
    } else {
        quote(question(prompt), prompt)
    };
    Behaviour::text(reply.to_string())
}

/// Returns the question in a prompt, which is on a separate line.
fn question(prompt: &str) -> &str {
    let mut lines = prompt.lines();
    lines
        .find_map(|line| line.trim().strip_prefix("Question: "))
        .unwrap_or_default()
}

fn route(question: &str) -> Value {
    let (route, statement, command) = if question.contains("How many") {
        let statement = "select rack, count(*) as broken from system_logs where status = 'broken' group by rack order by rack";
        ("sql", json!(statement), Value::Null)
    } else if question.contains("at the moment") {
        let command = json!({"host": "lab-01", "command": "kernel", "arguments": []});
        ("live", Value::Null, command)
    } else {
        ("retrieval", Value::Null, Value::Null)
    };
    json!({
        "intent": "a question of the demonstration", "route": [route], "statement": statement, "command": command,
        "steps": ["quote what was found"],
    })
}

/// Returns the start of the first piece of evidence.
fn quote(question: &str, prompt: &str) -> Value {
    let (_, evidence) = prompt.split_once("Evidence:").unwrap_or_default();
    let mut lines = evidence
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let id = lines.find_map(|line| Some(line.strip_prefix('[')?.split_once(']')?.0));
    let Some(id) = id else {
        return json!({"answer": "", "citations": []});
    };
    let text: Vec<&str> = lines
        .take_while(|line| !line.starts_with('[') && !line.starts_with("- Mark each"))
        .collect();
    let text = match id {
        "live" => member(&text.concat(), "stdout"),
        "sql" => member(&text.concat(), "rows"),
        _ => text.iter().take(8).copied().collect::<Vec<_>>().join("; "),
    };
    // Brackets would be read as citations.
    let text = text.replace('[', "(").replace(']', ")");
    let text: String = text.chars().take(600).collect();
    json!({"answer": format!("{question} What was found says: {} [{id}].", text.trim()), "citations": [id]})
}

/// Returns a member of a JSON object, as a text.
fn member(text: &str, name: &str) -> String {
    let object: Value = serde_json::from_str(text).unwrap_or_default();
    match &object[name] {
        Value::String(text) => text.clone(),
        Value::Null => text.to_owned(),
        other => other.to_string(),
    }
}
