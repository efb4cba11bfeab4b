//! The stable names of problems.

use axum::http::StatusCode;

macro_rules! codes {
    ($($name:ident = $status:ident, $word:literal, $title:literal;)+) => {
        /// Names a kind of problem for programs. A code is never renamed or reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $title] $name,)+
        }

        impl Code {
            /// Every code, by status.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The word in `code`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// The HTTP status it is answered with.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),+ }
            }

            /// A sentence for people, the same each time.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// The problem's `type`.
            #[must_use]
            pub const fn uri(self) -> &'static str {
                match self { $(Self::$name => concat!("urn:tarsy:problem:", $word)),+ }
            }
        }
    };
}

codes! {
    EmptyBody = BAD_REQUEST, "empty_body", "The request has no body";
    MalformedJson = BAD_REQUEST, "malformed_json", "The body is not valid JSON";
    BodyInterrupted = BAD_REQUEST, "body_interrupted", "The body ended early";
    NotAWebSocket = BAD_REQUEST, "not_a_websocket", "The request does not open a WebSocket";
    InvalidParameter = BAD_REQUEST, "invalid_parameter", "A parameter or header is not valid";
    Unauthenticated = UNAUTHORIZED, "unauthenticated", "Nothing shows who asks";
    TicketNotValid = UNAUTHORIZED, "ticket_not_valid", "The ticket is not valid";
    SignatureNotValid = UNAUTHORIZED, "signature_not_valid", "The webhook is not signed as it should be";
    Forbidden = FORBIDDEN, "forbidden", "The role does not allow it";
    OriginNotAllowed = FORBIDDEN, "origin_not_allowed", "The web page may not do this";
    NotFound = NOT_FOUND, "not_found", "There is nothing here";
    AlertNotFound = NOT_FOUND, "alert_not_found", "The alert is not known";
    SessionNotFound = NOT_FOUND, "session_not_found", "The session is not known";
    StageNotFound = NOT_FOUND, "stage_not_found", "The stage is not known";
    QueueNotFound = NOT_FOUND, "queue_not_found", "The queue is not known";
    WorkerNotFound = NOT_FOUND, "worker_not_found", "The worker is not known";
    DeadJobNotFound = NOT_FOUND, "dead_job_not_found", "The dead job is not known";
    UnknownWebhookSource = NOT_FOUND, "unknown_webhook_source", "The webhook source is not configured";
    HistoryDisabled = NOT_FOUND, "history_disabled", "History is switched off";
    MethodNotAllowed = METHOD_NOT_ALLOWED, "method_not_allowed", "The method is not allowed here";
    RequestTimeout = REQUEST_TIMEOUT, "request_timeout", "The body came too slowly";
    KeyNameTaken = CONFLICT, "key_name_taken", "A live key has this name";
    OwnKey = CONFLICT, "own_key", "A key does not revoke itself";
    TooManyKeys = CONFLICT, "too_many_keys", "There are too many keys";
    SessionRunning = CONFLICT, "session_running", "The session is under way";
    SessionEnded = CONFLICT, "session_ended", "The session has ended";
    StageNotFailed = CONFLICT, "stage_not_failed", "The stage has not failed";
    AlertIsLive = CONFLICT, "alert_is_live", "Another session answers the alert";
    JobKeyTaken = CONFLICT, "job_key_taken", "A live job does the same work";
    BodyNotWhole = CONFLICT, "body_not_whole", "The alert is not kept as it was sent";
    JobNeeded = CONFLICT, "job_needed", "A session waits for the job";
    BodyTooLarge = PAYLOAD_TOO_LARGE, "body_too_large", "The body is too large";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The body is not said to be JSON";
    HostNotAllowed = MISDIRECTED_REQUEST, "host_not_allowed", "The service is not asked under this name";
    InvalidRequest = UNPROCESSABLE_ENTITY, "invalid_request", "The request is not valid";
    InvalidAlert = UNPROCESSABLE_ENTITY, "invalid_alert", "The alert is not valid";
    UnknownAlertType = UNPROCESSABLE_ENTITY, "unknown_alert_type", "The alert type is not known";
    IdempotencyKeyReused = UNPROCESSABLE_ENTITY, "idempotency_key_reused", "The idempotency key belongs to another alert";
    UnmappableWebhook = UNPROCESSABLE_ENTITY, "unmappable_webhook", "No alert of the webhook could be used";
    RateLimited = TOO_MANY_REQUESTS, "rate_limited", "Too many requests";
    Internal = INTERNAL_SERVER_ERROR, "internal", "Something went wrong on our side";
    NoLlmProvider = SERVICE_UNAVAILABLE, "no_llm_provider", "No LLM provider is available";
    Overloaded = SERVICE_UNAVAILABLE, "overloaded", "Too many sessions wait";
    SourceRateLimited = SERVICE_UNAVAILABLE, "source_rate_limited", "The source sends too much";
    IdentityProviderAway = SERVICE_UNAVAILABLE, "identity_provider_unavailable", "The identity provider can not be asked";
    TooManySockets = SERVICE_UNAVAILABLE, "too_many_sockets", "Too many live sockets are open";
    SnsAway = SERVICE_UNAVAILABLE, "sns_away", "Amazon SNS can not be asked";
    DatabaseAway = SERVICE_UNAVAILABLE, "database_unavailable", "The database is away";
}
