//! Generates 150 questions: 75 with identifiers, 75 paraphrases.

use super::hosts::Host;
use super::random::Random;
use super::{MODELS, Scenario, test_cases};
use crate::error::Result;
use crate::evaluation::{Question, Relevant};

const EACH: usize = 75;

/// Serializes the questions as JSON lines.
pub(super) fn jsonl(scenarios: &[Scenario], hosts: &[Host]) -> Result<String> {
    let mut text = String::new();
    let mut random = Random(3);
    let mut questions = identifiers(&mut random, scenarios.len(), hosts);
    questions.extend(paraphrases(&mut random, scenarios));
    for question in questions {
        text.push_str(&serde_json::to_string(&question)?);
        text.push('\n');
    }
    Ok(text)
}

fn identifiers(random: &mut Random, scenarios: usize, hosts: &[Host]) -> Vec<Question> {
    let mut below = |bound: usize| usize::try_from(random.below(bound as u64)).unwrap_or(0);
    let mut questions = Vec::new();
    for number in 0..EACH {
        if number < 25 {
            let id = test_cases::id(below(scenarios), below(MODELS.len()), below(5));
            let text = match number % 3 {
                0 => format!("What does {id} expect?"),
                1 => id.to_lowercase(),
                _ => format!("show me the steps of {id}, please"),
            };
            questions.push(question("identifier", text, "test_cases", vec![id]));
            continue;
        }
        let Some(host) = hosts.get(below(hosts.len())) else {
            continue;
        };
        let text = match number % 5 {
            0 => format!("status of {}", host.hostname),
            1 => format!(
                "Which host has the serial number {}?",
                host.serial.to_lowercase()
            ),
            2 => format!("whose address is {}", host.mac.to_uppercase()),
            3 => format!("What is mounted at {}?", host.position),
            _ => format!("{} log", host.hostname),
        };
        questions.push(question(
            "identifier",
            text,
            "system_logs",
            vec![host.hostname.clone()],
        ));
    }
    questions
}

fn paraphrases(random: &mut Random, scenarios: &[Scenario]) -> Vec<Question> {
    let pairs = (0..2).flat_map(|which| {
        scenarios
            .iter()
            .enumerate()
            .map(move |(number, scenario)| (number, scenario, which))
    });
    let pairs =
        pairs.filter_map(|(number, scenario, which)| Some((number, scenario.asks.get(which)?)));
    let with_model = pairs.take(EACH).map(|(number, ask)| {
        let model = usize::try_from(random.below(MODELS.len() as u64)).unwrap_or(0);
        let text = format!("{ask} ({})", MODELS[model]);
        question(
            "paraphrase",
            text,
            "test_cases",
            test_cases::ids(number, model),
        )
    });
    with_model.collect()
}

fn question(kind: &str, question: String, collection: &str, keys: Vec<String>) -> Question {
    let relevant = keys.into_iter().map(|key| Relevant {
        collection: collection.to_owned(),
        key,
    });
    Question {
        kind: kind.to_owned(),
        question,
        relevant: relevant.collect(),
    }
}
