/** Admin API. Every action takes a reason for the audit log. */
import { getJson, queryString, send, type Query as Parameters } from './client';
import { ApiError } from './problem';
import type { components } from './schema';
import type {
  AuditEntry,
  AuditLog,
  TriageChange,
  Configuration,
  DeadJob,
  DeadJobs,
  Deliveries,
  DeliveryGroup,
  DeliveryState,
  BulkResult,
  Me,
  Queues,
  RedeliveredGroup,
  RejectionDetail,
  Rejections,
  Replayed,
  SessionCare,
  Upstreams,
  Worker,
  Workers,
} from './types';

type Schemas = components['schemas'];

const ADMIN = '/api/v1/admin';

export const queues = async (signal?: AbortSignal): Promise<Queues> => getJson(`${ADMIN}/queues`, { signal });
export const workers = async (signal?: AbortSignal): Promise<Worker[]> =>
  (await getJson<Workers>(`${ADMIN}/workers`, { signal })).workers;
export const deadJobs = async (before: string | null, signal?: AbortSignal): Promise<DeadJobs> =>
  getJson(`${ADMIN}/dead-jobs${queryString({ before })}`, { signal });
/** One dead job with its payload, which the list leaves out. */
export const deadJob = async (id: string, signal?: AbortSignal): Promise<DeadJob> =>
  getJson(`${ADMIN}/dead-jobs/${encodeURIComponent(id)}`, { signal });
export const upstreams = async (signal?: AbortSignal): Promise<Upstreams> => getJson(`${ADMIN}/upstreams`, { signal });
export const config = async (signal?: AbortSignal): Promise<Configuration> => getJson(`${ADMIN}/config`, { signal });

/** Filters of deliveries; unset ones match everything. */
export type DeliveryFilter = {
  session_id?: string;
  target?: string | null;
  state?: DeliveryState;
  before?: string | null;
  limit?: number;
};

/** Notification deliveries, newest first. */
export const deliveries = async (filter: DeliveryFilter, signal?: AbortSignal): Promise<Deliveries> =>
  getJson(`${ADMIN}/webhook-deliveries${queryString(filter)}`, { signal });

/** Undelivered notifications by target and reason. */
export const deliveryGroups = async (signal?: AbortSignal): Promise<{ groups: DeliveryGroup[] }> =>
  getJson(`${ADMIN}/webhook-deliveries/groups`, { signal });

/** Filters of rejected alerts; unset or empty ones match everything. */
export type RejectionFilter = {
  source?: string;
  code?: string;
  fingerprint?: string;
  before?: string | null;
  limit?: number;
};

/** Rejected alerts, newest first. */
export const rejections = async (filter: RejectionFilter, signal?: AbortSignal): Promise<Rejections> =>
  getJson(`${ADMIN}/rejected-alerts${queryString(filter)}`, { signal });
/** A rejected alert with its stored body. */
export const rejection = async (id: string, signal?: AbortSignal): Promise<RejectionDetail> =>
  getJson(`${ADMIN}/rejected-alerts/${encodeURIComponent(id)}`, { signal });

/** Filters of audit entries; unset or empty ones match everything. */
export type AuditFilter = { actor?: string; action?: string; subject?: string; before?: number | null; limit?: number };

/** Audit log, newest first. */
export const auditLog = async (filter: AuditFilter, signal?: AbortSignal): Promise<AuditLog> =>
  getJson(`${ADMIN}/audit-log${queryString(filter)}`, { signal });

/** Replays of a session, newest first. */
export const replaysOf = async (id: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
  (await auditLog({ subject: id, action: 'stage.replay', limit: 200 }, signal)).entries;

/** The current user; null without access control. */
export async function me(signal?: AbortSignal): Promise<Me | null> {
  try {
    return await getJson<Me>('/api/v1/me', { signal });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'absent') return null;
    throw error;
  }
}

const post = async <T>(path: string, body: unknown): Promise<T | null> => send<T>('POST', `${ADMIN}${path}`, body);
const part = encodeURIComponent;

export const pauseQueue = async (queue: string, reason: string) => post(`/queues/${part(queue)}/pause`, { reason });
export const resumeQueue = async (queue: string, reason: string) => post(`/queues/${part(queue)}/resume`, { reason });
export const drainWorker = async (id: string, reason: string) => post(`/workers/${part(id)}/drain`, { reason });
export const requeueJob = async (id: string, reason: string) => post(`/dead-jobs/${part(id)}/requeue`, { reason });
export const discardJob = async (id: string, reason: string) => post(`/dead-jobs/${part(id)}/discard`, { reason });
/** Redelivers a notification. */
export const redeliver = async (id: string, reason: string) =>
  post(`/webhook-deliveries/${part(id)}/redeliver`, { reason });
/** Redelivers up to 500 failed notifications of a group. Call it again for the rest. */
export async function redeliverGroup(
  { target, response_status, error }: DeliveryGroup,
  reason: string,
): Promise<RedeliveredGroup> {
  return (
    (await post<RedeliveredGroup>('/webhook-deliveries/redeliver', { target, response_status, error, reason })) ?? {
      affected: 0,
      has_more: false,
    }
  );
}
/** Resubmits a rejected alert as it was sent. */
export const submitRejected = async (id: string, reason: string) =>
  post(`/rejected-alerts/${part(id)}/submit`, { reason });
/** Acknowledges, assigns or rates a session. */
export const updateTriage = async (id: string, change: TriageChange) =>
  post<SessionCare>(`/sessions/${part(id)}/care`, change);
export const cancelSession = async (id: string, reason: string) => post(`/sessions/${part(id)}/cancel`, { reason });

/** Optional changes for a replay. */
type ReplayOverrides = Omit<Schemas['ReplayRequest'], 'reason'>;

export const replayStage = async (id: string, stageIndex: number, reason: string, overrides: ReplayOverrides = {}) =>
  post<Replayed>(`/sessions/${part(id)}/stages/${String(stageIndex)}/replay`, { reason, ...overrides });

export type BulkAction = 'cancel' | 'replay';

/** Runs a bulk action on all sessions that match; a dry run only counts them. */
export async function bulkAction(
  action: BulkAction,
  filter: Parameters,
  reason: string,
  dryRun: boolean,
): Promise<BulkResult> {
  const set = Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) =>
        value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const answer = await post<BulkResult>(`/sessions/${action}`, { filter: set, reason, dry_run: dryRun });
  return answer ?? { dry_run: dryRun, matched: 0, matched_is_exact: true, affected: 0, session_ids: [] };
}
