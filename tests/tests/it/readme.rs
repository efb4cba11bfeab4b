//! Runs the commands of README's *Run it* and *Send it alerts* in their order, with the shipped configuration.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use tarsy_testing::process::Program;
use tarsy_tests::command::tarsy;
use tarsy_tests::{Fleet, SOON, scene};

/// Returns the commands of the code block after a heading.
fn commands(heading: &str) -> Vec<String> {
    let readme = include_str!("../../../README.md");
    let (_, section) = readme.split_once(heading).unwrap();
    let (_, block) = section.split_once("```\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    // A quoted body spans several lines.
    let mut commands: Vec<String> = Vec::new();
    for line in block.lines() {
        match commands.last_mut() {
            Some(open) if open.matches('\'').count() % 2 == 1 => {
                open.push('\n');
                open.push_str(line);
            }
            _ => commands.push(line.to_owned()),
        }
    }
    commands
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_readme_work_in_their_order() {
    let fleet = Fleet::new(scene::play).await;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut served = None;
    let mut ran = Vec::new();
    for command in commands("## Run it") {
        let url = served.as_ref().map(|(_, url): &(_, String)| url.clone());
        let url = url.unwrap_or_default();
        match command.split_whitespace().collect::<Vec<_>>()[..] {
            ["export", ..] => {}
            ["tarsy", "up"] => {
                // The shipped configuration, except for the database, the port and a key that no provider accepts.
                let up = Program::new("tarsy")
                    .arg("up")
                    .current_dir(&root)
                    .env("DATABASE_URL", fleet.database_url())
                    .env("TARSY_LISTEN", "127.0.0.1:0")
                    .env("TARSY_OPS_LISTEN", "127.0.0.1:0")
                    .env("GEMINI_API_KEY", "not-a-key")
                    .start()
                    .unwrap();
                let line = up.printed("tarsy is up: ", SOON).await;
                let (_, url) = line.split_once("tarsy is up: ").unwrap();
                let url = url.split(',').next().unwrap().to_owned();
                served = Some((up, url));
            }
            ["tarsy", "submit", file, ..] => {
                // Without a model there is no analysis to wait for.
                let file = root.join(file);
                let submit = format!("submit {} --json", file.display());
                let submitted = tarsy(&submit, &[("TARSY_URL", &url)]).await.json();
                assert_eq!(submitted["status"], "queued", "{command}: {submitted}");
            }
            ["tarsy", "sessions"] => {
                tarsy("sessions", &[("TARSY_URL", &url)])
                    .await
                    .prints("kubernetes");
            }
            ["tarsy", "ask", ..] => {
                tarsy("ask --help", &[]).await.prints("[SESSION]");
            }
            _ => panic!("README has a command that this test does not know: {command}"),
        }
        ran.push(command);
    }
    assert!(ran.len() >= 5, "{ran:?}");
    // The overview repeats these commands.
    let overview = commands("# tarsy");
    let overview = overview
        .iter()
        .filter(|command| command.starts_with("tarsy "));
    let overview: Vec<&str> = overview
        .map(|command| command.split("  #").next().unwrap_or(command))
        .map(str::trim)
        .collect();
    let repeated = ran
        .iter()
        .map(String::as_str)
        .filter(|command| overview.contains(command));
    assert_eq!(repeated.collect::<Vec<_>>(), overview, "in the same order");

    let [curl] = &commands("## Send it alerts")[..] else {
        panic!("one command");
    };
    let (_, body) = curl.split_once("-d '").unwrap();
    let alert = serde_json::from_str(body.trim_end_matches('\'')).unwrap();
    let Some((_, url)) = &served else {
        panic!("nothing is up")
    };
    let request = reqwest::Client::new().post(format!("{url}/alerts"));
    let answer = request.json::<serde_json::Value>(&alert).send().await;
    assert_eq!(answer.unwrap().status().as_u16(), 202, "{alert}");
}
