//! Renders events as messages of the channels that they belong to.

use axum::extract::ws::Utf8Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_store::event_log::EventRecord;

use crate::live::channel::Channel;

/// Returns the channels that an event is published on.
pub(crate) fn channels(event: &EventRecord) -> impl Iterator<Item = Channel> + use<> {
    let dashboard = (!event.is_detail()).then_some(Channel::Dashboard);
    dashboard
        .into_iter()
        .chain(event.session_id.map(Channel::Session))
}

/// Renders an event for a channel's subscribers. If the protocol has a separate message for a part
/// of the event, the result has more than one message. The last one completes the event.
pub(crate) fn messages(event: &EventRecord, channel: Channel) -> Vec<Utf8Bytes> {
    let message = |word: &str, data: &str| {
        let (id, us) = (event.id, event.created_at_us);
        let session = match event.session_id {
            Some(session) if channel != Channel::Dashboard => {
                format!(r#""session_id":"{session}","#)
            }
            _ => String::new(),
        };
        format!(r#"{{"type":"{word}",{session}"channel":"{channel}","id":{id},"timestamp_us":{us},"data":{data}}}"#)
            .into()
    };
    let mut messages = Vec::with_capacity(1);
    match channel {
        Channel::Health => {}
        Channel::Dashboard => messages.push(message("dashboard_update", &event.payload)),
        Channel::Session(_) if event.kind == "stage_progress" => {
            messages.extend(
                chain_progress(&event.payload)
                    .map(|data| message("chain_progress", &data.to_string())),
            );
            messages.push(message("stage_progress", &event.payload));
        }
        Channel::Session(_) => messages.push(message("session_update", &event.payload)),
    }
    messages
}

/// Returns the progress of the chain if a stage has become due or has ended.
fn chain_progress(payload: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Stage {
        session_id: String,
        alert_id: Option<String>,
        chain_id: Option<String>,
        stage_index: u32,
        stage_count: u32,
        stage_name: String,
        status: String,
    }
    let stage: Stage = serde_json::from_str(payload).ok()?;
    let ended = match stage.status.as_str() {
        "pending" | "waiting" => stage.stage_index,
        "completed" | "failed" | "cancelled" => stage.stage_index + 1,
        _ => return None,
    };
    Some(json!({
        "type": "chain_progress", "session_id": stage.session_id, "alert_id": stage.alert_id, "chain_id": stage.chain_id,
        "current_stage": stage.stage_name,
        "current_stage_index": stage.stage_index, "total_stages": stage.stage_count, "ended_stages": ended,
    }))
}

#[cfg(test)]
mod tests {
    use tarsy_model::SessionId;

    use super::*;

    fn event(kind: &str, payload: Value) -> EventRecord {
        let session_id: SessionId = "0198c1a0-0000-7000-8000-000000000001".parse().unwrap();
        EventRecord {
            id: 7,
            session_id: Some(session_id),
            kind: kind.into(),
            payload: payload.to_string(),
            created_at_us: 9,
        }
    }

    #[test]
    fn a_stage_that_becomes_due_moves_its_chain() {
        let stage = json!({"session_id": "s", "alert_id": "a", "chain_id": "c", "stage_index": 1, "stage_count": 3, "stage_name": "analyse", "status": "pending"});
        let event = event("stage_progress", stage);
        let receivers: Vec<Channel> = channels(&event).collect();
        assert_eq!(receivers.len(), 2);
        let texts: Vec<String> = messages(&event, receivers[1])
            .iter()
            .map(ToString::to_string)
            .collect();
        insta::assert_snapshot!(texts.join("\n"), @r#"
        {"type":"chain_progress","session_id":"0198c1a0-0000-7000-8000-000000000001","channel":"session_0198c1a0-0000-7000-8000-000000000001","id":7,"timestamp_us":9,"data":{"type":"chain_progress","session_id":"s","alert_id":"a","chain_id":"c","current_stage":"analyse","current_stage_index":1,"total_stages":3,"ended_stages":1}}
        {"type":"stage_progress","session_id":"0198c1a0-0000-7000-8000-000000000001","channel":"session_0198c1a0-0000-7000-8000-000000000001","id":7,"timestamp_us":9,"data":{"session_id":"s","alert_id":"a","chain_id":"c","stage_index":1,"stage_count":3,"stage_name":"analyse","status":"pending"}}
        "#);
    }

    #[test]
    fn single_interactions_are_for_those_who_watch_their_session() {
        let event = event("llm_interaction", json!({}));
        assert_eq!(
            channels(&event).collect::<Vec<_>>(),
            [Channel::Session(event.session_id.unwrap())]
        );
    }
}
