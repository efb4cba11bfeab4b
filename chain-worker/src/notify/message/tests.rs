use tarsy_model::{SessionId, SessionStatus};

use super::*;

fn due(analysis: &str) -> DueDelivery {
    DueDelivery {
        target: "chat".to_owned(),
        event: "session.completed".to_owned(),
        attempts: 0,
        session_id: SessionId::generate(),
        alert_id: uuid::Uuid::nil(),
        alert_type: "kubernetes".to_owned(),
        severity: "critical".to_owned(),
        chain_id: "c".to_owned(),
        source: "alertmanager".to_owned(),
        alert_data: json!({"labels": {"namespace": "shop", "team": "cart"}}),
        age_seconds: 0.0,
        status: SessionStatus::Completed,
        outcome: None,
        verdict: None,
        verdict_summary: None,
        label: None,
        error_message: None,
        final_analysis: Some(analysis.to_owned()),
        started_at_us: 1,
        completed_at_us: Some(2),
        wait: None,
        slack_thread: None,
        updates: None,
        has_earlier_message: false,
        conversation_id: None,
        author: None,
    }
}

#[test]
fn an_answer_that_no_result_shows_does_not_look_like_one_that_results_show() {
    for format in [NotificationFormat::Slack, NotificationFormat::Teams] {
        let made = |verdict: &str| {
            let due = DueDelivery {
                verdict: Some(verdict.to_owned()),
                verdict_summary: Some("Checked so.".to_owned()),
                ..due("It is DNS.")
            };
            let subject = Subject::from_alert(&due.alert_data);
            let message = Message {
                due: &due,
                subject: &subject,
                question: None,
                link: None,
            };
            message.body(format, "now").to_string()
        };
        let body = made("not_investigated");
        assert!(body.contains("Not investigated."), "{body}");
        assert!(body.contains("Checked so."), "{body}");
        let body = made("unsupported");
        assert!(body.contains("Unsupported by tool results."), "{body}");
        let body = made("supported");
        assert!(
            body.contains("supported") && !body.contains("Checked so."),
            "{body}"
        );
    }
}

fn made(format: NotificationFormat, analysis: &str) -> Value {
    let due = due(analysis);
    let subject = Subject::from_alert(&due.alert_data);
    let link = Some("https://tarsy.example/dashboard/sessions/1");
    Message {
        due: &due,
        subject: &subject,
        question: None,
        link,
    }
    .body(format, "now")
}

#[test]
fn an_analysis_can_not_mention_a_channel_and_fits_a_block() {
    for text in ["&ä".repeat(3_000), "**&** ".repeat(600)] {
        let message = made(NotificationFormat::Slack, &format!("<!channel> {text}"));
        let text = message["blocks"][2]["text"]["text"].as_str().unwrap();
        assert!(text.starts_with("&lt;!channel&gt;") && text.chars().count() <= 3_000);
    }
}

#[test]
fn each_format_names_the_place_and_links_to_the_session() {
    for format in [
        NotificationFormat::Standard,
        NotificationFormat::Slack,
        NotificationFormat::Teams,
    ] {
        let message = made(format, "all is **well**").to_string();
        for expected in [
            "shop",
            "team",
            "alertmanager",
            "https://tarsy.example/dashboard/sessions/1",
        ] {
            assert!(message.contains(expected), "{expected}: {message}");
        }
    }
    let slack = made(NotificationFormat::Slack, "all is **well**");
    assert_eq!(slack["blocks"][2]["text"]["text"], "all is *well*");
    let standard = made(NotificationFormat::Standard, "all is well");
    assert_eq!(standard["data"]["subject"], json!({"namespace": "shop"}));
}
/// Returns a delivery about a question whether `command` may be called.
fn asking(command: &str) -> DueDelivery {
    let wait = tarsy_store::deliveries::NotifiedWait {
        wait_id: tarsy_model::WaitId::generate(),
        sort: tarsy_model::WaitSort::ToolCall,
        question: "Agent `Fixer` asks to call `hosts.run_command`".to_owned(),
        call: Some(json!({
            "server": "hosts", "tool": "run_command", "effect": "destructive", "arguments": {"command": command},
        })),
        conclusion: None,
        role: Some("operator".to_owned()),
        expires_at_us: 3,
        expires_at: "2026-11-28T10:00:00Z".to_owned(),
        decision: None,
        decided_at_us: None,
        decided_by: None,
        means: None,
        reason: None,
    };
    DueDelivery {
        wait: Some(wait),
        completed_at_us: None,
        ..due("")
    }
}

#[test]
fn who_approves_in_a_message_reads_all_that_runs() {
    let command = format!(
        "ls /tmp{}; rm -rf /\u{202e} ```<!channel>",
        " ".repeat(2_600)
    );
    let due = asking(&command);
    let subject = Subject::from_alert(&due.alert_data);
    let message = Message {
        due: &due,
        subject: &subject,
        question: None,
        link: Some("https://tarsy.example/dashboard/sessions/1"),
    };
    let whole = r#"ls /tmp⟨2600 blanks⟩; rm -rf /\u{202e} ```<!channel>""#;
    let slack = message.slack_app(true);
    let shown = slack["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|block| block["type"] == "rich_text");
    let shown = &shown.unwrap()["elements"][0]["elements"][0]["text"];
    let shown = shown.as_str().unwrap();
    assert!(
        shown.contains("hosts.run_command (destructive)") && shown.contains(whole),
        "{shown}"
    );
    assert!(slack.to_string().contains(APPROVE));
    let teams = message.body(NotificationFormat::Teams, "now").to_string();
    assert!(
        teams.contains("RichTextBlock") && teams.contains("rm -rf /"),
        "{teams}"
    );

    let long = asking(&"x".repeat(3_000));
    let message = Message {
        due: &long,
        ..message
    };
    let slack = message.slack_app(true).to_string();
    assert!(!slack.contains(APPROVE) && !slack.contains(DENY), "{slack}");
    assert!(
        slack.contains("Open the session to read all of it"),
        "{slack}"
    );
}

#[test]
fn who_decides_reads_who_started_the_session() {
    let mut due = asking("ls");
    due.author = Some("ada\u{202e}<!channel>".to_owned());
    let subject = Subject::from_alert(&due.alert_data);
    let message = Message {
        due: &due,
        subject: &subject,
        question: None,
        link: None,
    };
    let slack = message.slack_app(true);
    let shown = slack["blocks"][1]["fields"][0]["text"].as_str().unwrap();
    assert_eq!(
        shown,
        r"*started by*
ada\u{202e}&lt;!channel&gt;"
    );
    let teams = message.body(NotificationFormat::Teams, "now").to_string();
    assert!(
        teams.contains("started by") && !teams.contains('\u{202e}'),
        "{teams}"
    );
    let standard = message.body(NotificationFormat::Standard, "now");
    assert_eq!(standard["data"]["author"], json!(due.author));
}

#[test]
fn a_message_about_a_gate_has_what_the_gate_rests_on() {
    let mut due = asking("");
    let wait = due.wait.as_mut().unwrap();
    wait.sort = tarsy_model::WaitSort::Approval;
    wait.call = None;
    wait.conclusion = Some("The log of cart\u{202e} **fills** its volume.".to_owned());
    let subject = Subject::from_alert(&due.alert_data);
    let message = Message {
        due: &due,
        subject: &subject,
        question: None,
        link: None,
    };
    let slack = message.slack_app(true).to_string();
    assert!(
        slack.contains(r"The log of cart\\u{202e} *fills* its volume."),
        "{slack}"
    );
    let standard = message.body(NotificationFormat::Standard, "now");
    assert_eq!(
        standard["data"]["wait"]["conclusion"],
        json!("The log of cart\u{202e} **fills** its volume.")
    );
}
