//! Stable codes of problems, with their statuses and titles.

use axum::http::StatusCode;

macro_rules! codes {
    ($($name:ident = $status:ident, $word:literal, $title:literal;)+) => {
        /// Kind of a problem, for programs. A code is never renamed or reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $title] $name,)+
        }

        impl Code {
            /// Every code, by status.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Returns the value of the member `code`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// Returns the HTTP status of the response.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),+ }
            }

            /// Returns the title for people, which is the same for every problem of this code.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// Returns the problem's `type`.
            #[must_use]
            pub const fn uri(self) -> &'static str {
                match self { $(Self::$name => concat!("urn:tarsy:problem:", $word)),+ }
            }
        }
    };
}

codes! {
    EmptyBody = BAD_REQUEST, "empty_body", "Empty request body";
    MalformedJson = BAD_REQUEST, "malformed_json", "Malformed JSON";
    BodyInterrupted = BAD_REQUEST, "body_interrupted", "Request body interrupted";
    NotAWebSocket = BAD_REQUEST, "not_a_websocket", "Not a WebSocket request";
    InvalidParameter = BAD_REQUEST, "invalid_parameter", "Invalid parameter or header";
    Unauthenticated = UNAUTHORIZED, "unauthenticated", "Authentication required";
    TicketNotValid = UNAUTHORIZED, "ticket_not_valid", "Invalid ticket";
    SignatureNotValid = UNAUTHORIZED, "signature_not_valid", "Invalid webhook signature";
    Forbidden = FORBIDDEN, "forbidden", "Insufficient role";
    OwnRequest = FORBIDDEN, "own_request", "Own request";
    CsrfHeaderMissing = FORBIDDEN, "csrf_header_missing", "Header `X-Tarsy-CSRF` missing";
    OriginNotAllowed = FORBIDDEN, "origin_not_allowed", "Origin not allowed";
    NotFound = NOT_FOUND, "not_found", "Not found";
    AlertNotFound = NOT_FOUND, "alert_not_found", "Alert not found";
    SessionNotFound = NOT_FOUND, "session_not_found", "Session not found";
    IncidentNotFound = NOT_FOUND, "incident_not_found", "Incident not found";
    StageNotFound = NOT_FOUND, "stage_not_found", "Stage not found";
    QueueNotFound = NOT_FOUND, "queue_not_found", "Queue not found";
    WorkerNotFound = NOT_FOUND, "worker_not_found", "Worker not found";
    DeadJobNotFound = NOT_FOUND, "dead_job_not_found", "Dead job not found";
    ApprovalNotFound = NOT_FOUND, "approval_not_found", "Approval not found";
    UnknownWebhookSource = NOT_FOUND, "unknown_webhook_source", "Unknown webhook source";
    HistoryDisabled = NOT_FOUND, "history_disabled", "History is disabled";
    KnowledgeDisabled = NOT_FOUND, "knowledge_disabled", "No knowledge store is configured";
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed";
    RequestTimeout = REQUEST_TIMEOUT, "request_timeout", "Request body too slow";
    KeyNameTaken = CONFLICT, "key_name_taken", "Key name already in use";
    KeyRequired = CONFLICT, "key_required", "Only an API key can be exchanged for a session";
    OwnKey = CONFLICT, "own_key", "A key cannot revoke itself";
    TooManyKeys = CONFLICT, "too_many_keys", "Key limit reached";
    SessionRunning = CONFLICT, "session_running", "Session is running";
    SessionEnded = CONFLICT, "session_ended", "Session has ended";
    StageNotFailed = CONFLICT, "stage_not_failed", "Stage has not failed";
    AlertIsLive = CONFLICT, "alert_is_live", "Another session handles the alert";
    NoAgent = CONFLICT, "no_agent", "No agent can answer";
    QuestionRunning = CONFLICT, "question_running", "Another question is not answered yet";
    AlreadyDecided = CONFLICT, "already_decided", "Already decided";
    NoSignalAwaited = CONFLICT, "no_signal_awaited", "No stage waits for the signal";
    JobKeyTaken = CONFLICT, "job_key_taken", "Duplicate of an active job";
    BodyNotWhole = CONFLICT, "body_not_whole", "Stored alert is incomplete";
    JobNeeded = CONFLICT, "job_needed", "A session depends on the job";
    BodyTooLarge = PAYLOAD_TOO_LARGE, "body_too_large", "Request body too large";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "Unsupported media type";
    HostNotAllowed = MISDIRECTED_REQUEST, "host_not_allowed", "Host not allowed";
    InvalidRequest = UNPROCESSABLE_ENTITY, "invalid_request", "Invalid request";
    InvalidAlert = UNPROCESSABLE_ENTITY, "invalid_alert", "Invalid alert";
    UnknownAlertType = UNPROCESSABLE_ENTITY, "unknown_alert_type", "Unknown alert type";
    IdempotencyKeyReused = UNPROCESSABLE_ENTITY, "idempotency_key_reused", "Idempotency key already used";
    UnmappableWebhook = UNPROCESSABLE_ENTITY, "unmappable_webhook", "No valid alert in the webhook";
    RateLimited = TOO_MANY_REQUESTS, "rate_limited", "Rate limit exceeded";
    Internal = INTERNAL_SERVER_ERROR, "internal", "Internal error";
    NoLlmProvider = SERVICE_UNAVAILABLE, "no_llm_provider", "No LLM provider available";
    Overloaded = SERVICE_UNAVAILABLE, "overloaded", "Too many pending sessions";
    TooManyLargeBodies = SERVICE_UNAVAILABLE, "too_many_large_bodies", "Too many large request bodies";
    SourceRateLimited = SERVICE_UNAVAILABLE, "source_rate_limited", "Source rate limit exceeded";
    IdentityProviderAway = SERVICE_UNAVAILABLE, "identity_provider_unavailable", "Identity provider unavailable";
    TooManySockets = SERVICE_UNAVAILABLE, "too_many_sockets", "Too many WebSockets";
    SnsAway = SERVICE_UNAVAILABLE, "sns_away", "Amazon SNS unavailable";
    DatabaseAway = SERVICE_UNAVAILABLE, "database_unavailable", "Database unavailable";
}
