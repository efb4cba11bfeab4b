//! Formats the cost of an investigation in one line.

use serde_json::Value;

/// Returns e.g. `$0.0541 = agents $0.0200 + 2 sub-agents $0.0300 + 1 question $0.0041`; `None`: the API is older, or no
/// model was called.
pub(crate) fn line(session: &Value) -> Option<String> {
    let spending = session.get("spending")?;
    let number = |part: &Value, name: &str| part.get(name).and_then(Value::as_i64).unwrap_or(0);
    let total = spending.get("total")?;
    if number(total, "input_tokens") + number(total, "output_tokens") == 0 {
        return None;
    }
    let mut parts = Vec::new();
    for (member, name) in [("sub_agents", "sub-agent"), ("questions", "question")] {
        let part = &spending[member];
        let many = number(part, "sessions");
        if many > 0 {
            let plural = if many == 1 { "" } else { "s" };
            parts.push(format!("{many} {name}{plural} {}", cost(part)));
        }
    }
    let total = cost(total);
    Some(match parts.is_empty() {
        true => total,
        false => format!(
            "{total} = agents {} + {}",
            cost(&spending["agents"]),
            parts.join(" + ")
        ),
    })
}

/// Formats a cost. If prices are missing, it is a lower bound.
fn cost(part: &Value) -> String {
    let is_complete = part["is_cost_complete"].as_bool().unwrap_or(false);
    match part["cost_usd"].as_f64() {
        None if is_complete => "$0".to_owned(),
        None => "no price".to_owned(),
        Some(cost) if is_complete => format!("${cost:.4}"),
        Some(cost) => format!(">= ${cost:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::line;

    #[test]
    fn the_parts_of_a_cost_are_named_where_there_are_several() {
        let part = |sessions: i64, cost: Option<f64>, is_complete: bool| json!({"sessions": sessions, "input_tokens": 1, "output_tokens": 1, "cost_usd": cost, "is_cost_complete": is_complete});
        let none = part(0, None, true);
        let alone = json!({"spending": {"total": part(1, Some(0.02), true), "agents": part(1, Some(0.02), true), "sub_agents": none, "questions": none}});
        assert_eq!(line(&alone).as_deref(), Some("$0.0200"));
        let split = json!({"spending": {"total": part(4, Some(0.0541), false), "agents": part(1, Some(0.02), true),
            "sub_agents": part(2, Some(0.0341), false), "questions": part(1, None, true)}});
        assert_eq!(
            line(&split).as_deref(),
            Some(">= $0.0541 = agents $0.0200 + 2 sub-agents >= $0.0341 + 1 question $0")
        );
        assert_eq!(line(&json!({})), None);
    }
}
