/**
 * Types of the API, by name. They are based on `schema.d.ts`, which `npm run types` generates from the API's OpenAPI
 * document. Types that the document leaves open are defined here.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

export type SessionStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
export type SessionVerdict =
  'supported' | 'partly_supported' | 'unsupported' | 'not_investigated' | 'inconclusive' | 'no_fault' | 'not_checked';
/** Findings that a verdict is based on. */
export interface VerdictCheck {
  verdict: SessionVerdict;
  summary: string;
  checked: number;
  found: number;
  not_found?: string[];
  unknown_names?: string[];
  calls: number;
  answer_cut?: boolean;
}
export type SessionOutcome = 'completed' | 'partial' | 'failed';
export type StageStatus = 'pending' | 'active' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'skipped';

export type AnswerRating = 'right' | 'partly_right' | 'wrong';
export type SessionCare = Omit<Schemas['SessionCare'], 'rating'> & { rating?: AnswerRating | null };
/** Triage change of a session; omitted fields keep their values. */
export type TriageChange = Omit<Schemas['TriageRequest'], 'reason' | 'rating'> & { rating?: AnswerRating | null };

export type WaitReason =
  | 'queued'
  | 'queue_paused'
  | 'no_worker'
  | 'retrying'
  | 'snoozed'
  | 'after_crash'
  | 'worker_not_answering'
  | 'approval'
  | 'signal'
  | 'timer'
  | 'children';
export type SessionWait = Omit<Schemas['SessionWait'], 'reason' | 'queue'> & {
  reason: WaitReason;
  queue?: string | null;
};

/** A tool call that waits for approval. Screens don't read its raw arguments, because these may be disguised. */
export interface AskedCall {
  server?: string;
  tool?: string;
  effect?: string | null;
  thought?: string | null;
  /** The whole call for people to read, with every invisible character spelled out. An older API doesn't send it. */
  shown?: string;
}

/** A wait of a stage, and how it was decided. */
export type Wait = Omit<Schemas['Wait'], 'sort' | 'status' | 'call' | 'role' | 'evidence'> & {
  /** Evidence for the decision on an open gate. An older API doesn't send it. */
  evidence?: Schemas['WaitEvidence'][];
  sort: 'approval' | 'tool_call' | 'spending' | 'timer' | 'signal' | 'children';
  status: 'open' | 'approved' | 'denied' | 'signalled' | 'elapsed' | 'expired' | 'cancelled' | 'children_ended';
  /** Role that may decide; none: the wait is not decided by a person. */
  role?: Role | null;
  call?: AskedCall | null;
  /** Who started the session, if known. */
  author?: string | null;
};
export type Approvals = Omit<Schemas['Approvals'], 'approvals'> & { approvals: Wait[] };

/** Something that an investigation could not see. */
export type InvestigationGap = Schemas['InvestigationGap'];
/** A session that an agent dispatched to a sub-agent. */
export type ChildSession = Omit<Schemas['ChildSession'], 'status' | 'outcome'> & {
  status: SessionStatus;
  outcome?: SessionOutcome | null;
};

/** A question about a session and its answer. */
export type Turn = Omit<Schemas['Turn'], 'status'> & { status: SessionStatus };
export type Messages = Omit<Schemas['Conversation'], 'turns'> & { turns: Turn[] };
export type AcceptedMessage = Schemas['AcceptedMessage'];

/** Tokens and cost of one part of an investigation. */
export type SpendingPart = Schemas['SpendingPart'];

/** State of a stage in a session's chain, summed up over its branches. */
export type StageState = Omit<Schemas['StageState'], 'status'> & { status: StageStatus | 'not_started' };

export type SessionLine = Omit<Schemas['SessionLine'], 'status' | 'outcome' | 'rating' | 'waiting' | 'stage_states'> & {
  /** An older API doesn't send it. */
  stage_states?: StageState[];
  waiting?: SessionWait | null;
  rating?: AnswerRating | null;
  status: SessionStatus;
  outcome?: SessionOutcome | null;
};
/** Summary of the sessions of an incident. */
export type Incident = Schemas['Incident'];
export type IncidentDetail = Omit<Schemas['IncidentDetail'], 'members' | 'removed'> & {
  members: SessionLine[];
  removed: (Omit<Schemas['RemovedMember'], 'session'> & { session: SessionLine })[];
};
export type SessionOfAlert = Schemas['SessionOfAlert'];
export type SessionList = Omit<Schemas['SessionList'], 'sessions'> & { sessions: SessionLine[] };
export type ActiveSessions = { active_sessions: SessionLine[]; total_count: number };
export type FilterOptions = Schemas['FilterOptions'];
export type Facets = Schemas['FacetList'];
export type Metrics = Schemas['Metrics'];
export type UsageBy = 'model' | 'provider' | 'chain' | 'agent' | 'tool';
export type UsageSums = Schemas['UsageSums'];
export type UsageStep = Schemas['UsageStep'];
export type Usage = Schemas['Usage'];
export type QualitySums = Schemas['QualitySums'];
export type QualityStep = Schemas['QualityStep'];
export type Quality = Schemas['Quality'];
export type Evaluation = Schemas['Evaluation'];
export type SubmitAnswer = Schemas['SubmitAnswer'];
export type Summary = Schemas['Summary'];
export type Duplicates = Schemas['Duplicates'];
/** Changes near the alert of a session. */
export type NearChanges = Schemas['NearChanges'];
export type NearChange = Schemas['ChangeView'];
export type DryRunResult = Omit<Schemas['Foreseen'], 'chain_definition' | 'duplicate_of'> & {
  chain_definition: ChainDefinition;
  duplicate_of?: (Omit<Schemas['First'], 'status'> & { status: SessionStatus }) | null;
};
export type RunbookState = Schemas['RunbookState'];
export type WebhookRequest = Schemas['WebhookRequest'];

/** Details of a model call. */
export interface LlmDetails {
  provider: string;
  model_name: string;
  answered_by?: string | null;
  temperature?: number | null;
  purpose: string;
  error_class?: string | null;
  input_tokens?: number | null;
  output_tokens?: number | null;
  cached_tokens?: number | null;
  /** Written to the provider's cache. */
  cache_write_tokens?: number | null;
  reasoning_tokens?: number | null;
  /** Why the model stopped, e.g. `max_tokens`. */
  finish_reason?: string | null;
  cost_usd?: number | null;
  response_text?: string | null;
  thinking?: string | null;
  tool_calls?: unknown;
  /** The whole conversation up to this call's answer. */
  messages?: { role: string; content: unknown }[];
  /** Messages that no earlier call of the stage contains, if the API sends them. */
  new_messages?: { role: string; content: unknown }[];
}

/** Details of a tool call, or of a request for the list of tools. */
export interface McpDetails {
  server_name: string;
  communication_type: string;
  tool_name?: string | null;
  parameters?: unknown;
  result?: unknown;
  available_tools?: { name: string; description?: string; effect?: string }[] | null;
  effect?: string | null;
  refused?: boolean;
  truncated?: boolean;
  masked_kinds?: unknown;
}

type Bare = Omit<Schemas['Interaction'], 'type' | 'details'>;
export type LlmInteraction = Bare & { type: 'llm'; details: LlmDetails };
export type McpInteraction = Bare & { type: 'mcp'; details: McpDetails };
export type Interaction = LlmInteraction | McpInteraction;

/** A part of a session's record. */
export type RecordPart = Omit<Schemas['Record'], 'interactions'> & { interactions: Interaction[] };

/** Output that a stage hands on to the next ones. */
export interface StageOutput {
  result?: string | null;
  data_points?: number | null;
  tool_calls?: number | null;
  limit_reached?: string | null;
  error?: string | null;
  [member: string]: unknown;
}

export type StageDetail = Omit<
  Schemas['StageDetail'],
  'status' | 'stage_output' | 'llm_interactions' | 'mcp_communications' | 'chronological_interactions'
> & { status: StageStatus; stage_output?: StageOutput | null; chronological_interactions: Interaction[] };

/** A stage as the chain defines it. */
export interface ChainStage {
  name: string;
  agent: string;
  pool?: string;
  iteration_strategy?: string | null;
  /** Names of the stages it needs; if absent, it needs the stage listed before it. */
  needs?: string[] | null;
  /** Condition under which it runs. */
  when?: string | null;
  join?: string;
}

/** Chain definition at submission. */
export interface ChainDefinition {
  chain_id?: string;
  description?: string | null;
  stages?: ChainStage[];
}

export type SessionDetail = Omit<
  Schemas['SessionDetail'],
  | 'status'
  | 'outcome'
  | 'stages'
  | 'stage_states'
  | 'spending'
  | 'chain_definition'
  | 'alert_data'
  | 'care'
  | 'waiting'
  | 'waits'
  | 'children'
  | 'verdict_check'
> & {
  verdict_check?: VerdictCheck | null;
  waits: Wait[];
  children: ChildSession[];
  waiting?: SessionWait | null;
  care: SessionCare;
  status: SessionStatus;
  outcome?: SessionOutcome | null;
  stages: StageDetail[];
  /** An older API doesn't send it. */
  stage_states?: StageState[];
  /** Spending of the whole investigation, by part. An older API doesn't send it. */
  spending?: Schemas['SessionSpending'];
  chain_definition: ChainDefinition;
  alert_data: Record<string, unknown>;
};

/** `GET /health`; only what the screens read. */
export interface Health {
  status: string;
  version?: string;
  services?: {
    database?: { connected?: boolean; retention_days?: number };
    history_replica?: { status: string; lag_seconds: number; message?: string };
    knowledge?: { enabled?: boolean };
    mcp?: { unreachable?: { server: string; error?: string | null; since_us: number; last_tried_us?: number }[] };
    llm?: { provider_available?: boolean; refusing?: { provider: string; class: string; since_us: number }[] };
    queue?: {
      ready?: number;
      running?: number;
      dead?: number;
      oldest_ready_seconds?: number | null;
      paused?: string[];
      workers?: Record<string, number>;
      workers_not_answering?: Record<string, number>;
    };
    [service: string]: unknown;
  };
}

export type Queue = Schemas['QueueState'];
export type Queues = Schemas['QueueStates'];
export type Worker = Schemas['Worker'];
export type Workers = Schemas['Workers'];
export type DeadJob = Schemas['DeadJob'];
export type DeadJobs = Schemas['DeadJobs'];
export type Rejection = Schemas['Rejection'];
export type RejectionDetail = Schemas['RejectionDetail'];
export type Rejections = Schemas['Rejections'];
/** State of a notification. `pending`: it is being sent, or will be retried later. */
export type DeliveryState = 'failed' | 'pending' | 'delivered';
export type Delivery = Omit<Schemas['Delivery'], 'state'> & { state: DeliveryState };
export type Deliveries = Omit<Schemas['Deliveries'], 'deliveries'> & { deliveries: Delivery[] };
export type Upstreams = Schemas['Upstreams'];
export type LlmProvider = Schemas['LlmProvider'];
export type McpServer = Schemas['McpServer'];
export type PoolSources = Schemas['PoolSources'];
export type Source = Schemas['Source'];
export type CallFigures = Schemas['CallFigures'];
export type AuditEntry = Schemas['AuditEntry'];
export type AuditLog = Schemas['AuditLog'];
export type BulkResult = Schemas['ManySessions'];
export type Replayed = Schemas['ReplayedStage'];

/** The configuration in effect, without secrets. Its parts are shown unchanged. */
export type Configuration = Record<string, unknown> & { llm_providers: unknown[] };

export type Role = 'ingest' | 'viewer' | 'operator' | 'admin';

/** The current user, as the API identifies them. */
export type Me = Omit<Schemas['Me'], 'role'> & { role: Role };
/** Ways to sign in besides keys. */
export type SignInOptions = Schemas['SignInOptions'];
/** Result of a sign-out, with the address that ends the session at the identity provider. */
export type SignedOut = Schemas['SignedOut'];
/** Undelivered notifications to one target that failed for the same reason. */
export type DeliveryGroup = Schemas['DeliveryGroup'];
export type RedeliveredGroup = Schemas['RedeliveredGroup'];

/** One entry of a session's activity. */
export type ActivityEntry = Omit<Schemas['ActivityEntry'], 'details'> & { details: Record<string, unknown> };
export type NoteKind = 'note' | 'action';

export type AccessKey = Omit<Schemas['Key'], 'role'> & { role: Role };
export type AccessKeys = { keys: AccessKey[] };
export type NewAccessKey = AccessKey & { key: string };
export type NewAccessKeyRequest = Schemas['KeyWanted'];
