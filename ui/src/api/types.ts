/** The API's types, by name. Generated from its OpenAPI document; what that leaves open is told here. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type SessionStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
export type SessionOutcome = 'completed' | 'partial' | 'failed';
export type StageStatus = 'pending' | 'active' | 'completed' | 'failed' | 'cancelled';

export type SessionLine = Omit<Schemas['SessionLine'], 'status' | 'outcome'> & {
  status: SessionStatus;
  outcome?: SessionOutcome | null;
};
export type SessionList = Omit<Schemas['SessionList'], 'sessions'> & { sessions: SessionLine[] };
export type ActiveSessions = { active_sessions: SessionLine[]; total_count: number };
export type FilterOptions = Schemas['FilterOptions'];
/** Numbers of sessions by the values of one filter. */
export interface FacetValues { values: Record<string, number>; is_exact: boolean }
export type Facets = Record<'status' | 'outcome' | 'severity' | 'alert_type' | 'chain_id', FacetValues>;
export type Metrics = Schemas['Metrics'];
export type Progress = Schemas['Progress'];
export type SubmitAnswer = Schemas['SubmitAnswer'];
export type Summary = Schemas['Summary'];

/** What is particular to a model call. */
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
  reasoning_tokens?: number | null;
  cost_usd?: number | null;
  response_text?: string | null;
  thinking?: string | null;
  tool_calls?: unknown;
  finish_reason?: string | null;
  /** The whole conversation up to this call's answer. */
  messages?: { role: string; content: unknown }[];
  /** Only what no earlier call of the stage holds, where the API offers it. */
  new_messages?: { role: string; content: unknown }[];
}

/** What is particular to a tool call or a tool list. */
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

/** What a stage hands on. */
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
> & {
  status: StageStatus;
  stage_output?: StageOutput | null;
  chronological_interactions: Interaction[];
};

/** A chain as it was when the alert was accepted. */
export interface ChainDefinition {
  chain_id?: string;
  description?: string | null;
  stages?: { name: string; agent: string; pool?: string; iteration_strategy?: string | null }[];
}

export type SessionDetail = Omit<
  Schemas['SessionDetail'],
  'status' | 'outcome' | 'stages' | 'chain_definition' | 'alert_data' | 'session_metadata'
> & {
  status: SessionStatus;
  outcome?: SessionOutcome | null;
  stages: StageDetail[];
  chain_definition: ChainDefinition;
  alert_data: Record<string, unknown>;
  session_metadata?: Record<string, unknown> | null;
};

/** `GET /health`; only what the screens read. */
export interface Health {
  status: string;
  version?: string;
  services?: {
    database?: { connected?: boolean; retention_days?: number };
    llm?: { provider_available?: boolean };
    queue?: {
      ready?: number;
      running?: number;
      dead?: number;
      oldest_ready_seconds?: number | null;
      paused?: string[];
      workers?: Record<string, number>;
    };
    [service: string]: unknown;
  };
}

/** One queue: a pool of workers claims from it. */
export interface Queue {
  queue: string;
  ready: number;
  scheduled: number;
  running: number;
  dead: number;
  oldest_ready_seconds?: number | null;
  workers: number;
  slots: number;
  paused: boolean;
  paused_at_us?: number | null;
  paused_by?: string | null;
  reason?: string | null;
}

/** A job that a worker holds. */
export interface RunningJob {
  job_id: string;
  queue: string;
  kind: string;
  subject: string;
  session_id?: string | null;
  stage_index?: number | null;
  stage_name?: string | null;
  expires_in_seconds: number;
}

/** One worker process. */
export interface Worker {
  worker_id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  queues: string[];
  slots: number;
  started_at_us: number;
  heartbeat_at_us: number;
  heartbeat_age_seconds: number;
  alive: boolean;
  draining: boolean;
  drain_requested: boolean;
  running: RunningJob[];
}

/** A job that nobody will try again by itself. */
export interface DeadJob {
  job_id: string;
  queue: string;
  kind: string;
  subject: string;
  session_id?: string | null;
  reason: string;
  error: string;
  attempts: number;
  max_attempts: number;
  crashes: number;
  snoozes: number;
  created_at_us: number;
  died_at_us: number;
}

export interface DeadJobs { dead_jobs: DeadJob[]; next?: string | null }

/** What an action on many sessions did, or would do. */
export interface Many {
  dry_run: boolean;
  matched: number;
  matched_is_exact?: boolean;
  affected: number;
  session_ids: string[];
}

export interface Replayed { session_id: string; stage_index: number; attempt: number; execution_id: string }

/** Something that somebody did. */
export interface AuditEntry {
  entry_id: number;
  at_us: number;
  actor: string;
  role: string;
  action: string;
  subject_kind: string;
  subject: string;
  reason: string;
  details: unknown;
}

export interface AuditLog { entries: AuditEntry[]; next?: number | null }

/** The configuration in effect, without secrets. */
export interface Configuration {
  agents: unknown[];
  chains: unknown[];
  mcp_servers: unknown[];
  llm_providers: unknown[];
  webhook_sources: unknown[];
  settings: Record<string, unknown>;
  [section: string]: unknown;
}

export type Role = 'ingest' | 'viewer' | 'operator' | 'admin';

/** Who asks, by the API's judgement. */
export interface Me { name: string; role: Role; auth: 'off' | 'key' | 'oidc' }
