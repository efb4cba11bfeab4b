//! Every SQL statement over sessions, stages, interactions and events.
//!
//! One file per subject. Functions take a connection and never begin or commit: the
//! caller owns the transaction, so that rows and jobs change together.
//! The statements take many rows at a time, because commits are what a database runs
//! out of first.

pub mod admin;
mod api_keys;
mod browser_sessions;
mod calls;
mod calls_before;
mod chains;
mod changes;
mod children;
mod clock_step;
mod column;
mod conversations;
mod dedup_lookup;
mod deliveries;
mod diagnosis;
mod duplicates;
mod error;
mod event_log;
mod events;
mod gauges;
mod history;
mod incidents;
mod interactions;
mod knowledge_memory;
mod knowledge_questions;
mod late_commits;
mod new_session;
mod overload;
mod partitions;
mod pools;
mod quality;
mod refusals;
mod rejected_alerts;
mod resolved;
mod retention;
mod runbooks;
mod schema;
mod sessions;
mod slack;
mod stage_configurations;
mod stages;
mod status;
mod suppression;
mod usage;

mod unknown_words;
mod unreachable;
mod wait_context;
mod waits;
mod webhook_requests;
mod ws_tickets;

pub use api_keys::{
    ApiKeyRecord, LiveApiKey, NewApiKey, insert_api_key, list_api_keys, live_api_keys,
    note_key_use, revoke_api_key,
};
pub use browser_sessions::{
    LiveBrowserSession, NewBrowserSession, SessionOwner, delete_browser_session,
    insert_browser_session, live_browser_sessions,
};
pub use calls::{Calls, PoolCalls, model_calls, pool_calls, server_calls};
pub use calls_before::{EarlierCall, EarlierEvidence, calls_before, evidence_before};
pub use chains::{
    Stranded, StrandedStage, UnreadableChain, finish_sessions, load_chains, sessions_without_work,
};
pub use changes::{
    ChangeFilter, Near, NewChange, alert_moment, changes_near, keep_prompt_changes, list_changes,
    prune_changes, record_changes,
};
pub use children::{
    ChildRecord, chain_of_child, children_of_session, children_of_stage, live_children,
    task_of_child, waits_whose_children_ended,
};
pub use column::column;
pub use conversations::{
    FollowUpContext, KnownQuestion, LONGEST_CONVERSATION, NewQuestion, Searched, Subject,
    TurnRecord, conversation_of, conversation_subject, follow_up_context, insert_question,
    question_of_key, turns,
};
pub use dedup_lookup::{ExistingSession, find_existing_sessions};
pub use deliveries::{
    Attempt, DELIVERY_KIND, DELIVERY_QUEUE, DeliveryGroup, DeliveryRecord, DueDelivery,
    FailedFilter, NewAnswer, NewDelivery, NewWaitNotice, NewWaitUpdate, NotifiedWait,
    QUESTION_ANSWERED, SESSION_STARTED, Undelivered, UpdatedMessage, count_undelivered,
    due_delivery, group_undelivered, insert_answer, insert_deliveries, insert_start_notices,
    insert_wait_notices, insert_wait_updates, is_wait_notified, list_deliveries, matching_failed,
    note_attempt, note_rate_limit, reset_delivery,
};
pub use diagnosis::{FEWEST_CONNECTIONS, ServerFacts, connection_limit, server_facts};
pub use duplicates::{DuplicateRecord, KEPT_DUPLICATES, duplicate_records};
pub use error::{Error, is_content};
pub use event_log::{
    EventRecord, add_alert_ids, event_writers, newest_events, oldest_event, overview_events,
    pass_by_event_ids, read_events, renumber_events, session_events,
};
pub use events::{NewEvent, publish};
pub use gauges::{
    EndedSessions, LiveSessions, ModelUse, PendingDeliveries, TableRows, ended_sessions,
    hot_table_rows, live_sessions, model_use, oldest_snapshot_age, pending_deliveries,
};
pub use history::{
    Count, Facet, FacetCounts, Facets, FollowUps, Gap, Hits, Holding, HourFigures, Incident,
    IncidentMembership, IncidentPlace, ListPosition, LlmRecord, MOST_MEMBERS, McpRecord, Order,
    Page, PastSession, RecordPart, SearchLimits, SearchText, SessionFigures, SessionFilter,
    SessionOverview, SessionRecord, Sort, Spending, SpendingPart, StageRecord, StageState,
    StageTally, Wait, WaitReason, assignees, count_within, facet_counts, facets, figures_by_hour,
    gaps, holding, incident_keys, incident_members, incidents, incidents_of, index_for_search,
    late_search_texts, late_session_traits, list_incidents, list_sessions, llm_records,
    mcp_records, outdated_search_texts, past_evidence, past_sessions, prune_session_traits,
    record_part, search_sessions, search_texts, session_figures, session_overviews, session_record,
    session_spending, stage_records, stage_tallies, sum_up_hours, tally_ended_sessions,
    trait_counts, trait_values, wait_of, write_search_documents, write_session_traits,
};
pub use incidents::{
    CAUSE_GAP, INCIDENTS_LOCK, LONGEST_INCIDENT, TARGET_GAP, group_ended_sessions,
    group_late_sessions, group_started_sessions,
};
pub use interactions::{
    StageFence, StageWrite, begin_llm, begin_mcp, finish_llm, finish_mcp, load_records, note_task,
    withdraw_mcp,
};
pub use knowledge_memory::{KnowledgeMemory, knowledge_memory};
pub use knowledge_questions::{
    KnowledgeAnswer, NewKnowledgeQuestion, TracedStage, insert_knowledge_question,
    knowledge_answer, knowledge_conversation, knowledge_trace,
};
pub use new_session::{NewSession, Suppressible};
pub use overload::{ping, ping_over, waiting_sessions};
pub use partitions::{
    CHANGES_TABLE, EnablePartitionsError, PARTITIONABLE_TABLES, Partition, PartitionChanges,
    PartitionKey, PartitionableTable, TablePartitions, enable as enable_partitions,
    maintain as maintain_partitions, partitions,
};
pub use pools::{PoolFigures, Recovered, pool_figures, recovered_stages};
pub use quality::{QualityBy, QualityRow, is_scored, quality, score_ended_sessions};
pub use refusals::{RefusingProvider, refusing_providers};
pub use rejected_alerts::{
    NewRejection, RejectionFilter, RejectionRecord, find_rejection, keep_rejections,
    list_rejections, mark_submitted, prune_rejections,
};
pub use resolved::{Resolution, resolve_sessions};
pub use retention::{PRUNE_INTERVAL, drop_ended_interactions, prune_events, prune_sessions};
pub use runbooks::{CachedRunbook, cached_runbook, save_cached_runbook, set_runbook};
pub use schema::{MigrationError, PendingMigration, Schema, SchemaState, migrate};
pub use sessions::{Accepted, insert_sessions, mark_resolved};
pub use slack::{note_hint, session_of_thread};
pub use stage_configurations::{configurations_of, keep_stage_configuration};
pub use stages::{
    BeginStage, BegunStage, NewStage, begin_stages, delay_deadline, extend_deadline, start_stages,
    unset_deadline,
};
pub use status::{AlertStatus, StageProgress, alert_status, session_of_alert};
pub use suppression::{SuppressingSession, insert_unless_suppressed, suppressing_session};

pub use unreachable::{UnreachableServer, unreachable_servers};
pub use usage::{
    ChainCost, UnpricedModel, UsageBy, UsageRow, UsageSpan, count_ended_usage, count_late_usage,
    prune_usage, spent_today, unpriced_models, usage, usage_is_summed_up,
};
pub use wait_context::{StageConclusion, WaitContext, stage_conclusions, wait_contexts};
pub use waits::{
    DecidedCall, SpendingState, WaitFilter, WaitRecord, decided_calls, find_signal_wait, find_wait,
    list_approvals, list_urgent_approvals, questioner_of, spending_state, waits_of,
};
pub use webhook_requests::{KeptRequest, RawRequest, keep_request, kept_request};
pub use ws_tickets::{TicketHolder, save_ws_ticket, use_ws_ticket};

/// Schema changes of the whole project, run by `tarsy migrate`.
pub static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");
