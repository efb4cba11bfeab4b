/** What operators see and do. Every action carries a reason; the API writes it to its audit log. */
import { getJson, queryString, send, type Query as Parameters } from './client';
import { ApiError } from './problem';
import type { AuditEntry, AuditLog, CareChange, Configuration, DeadJobs, Many, Me, Queues, Replayed, SessionCare, Upstreams, Worker, Workers } from './types';

const ADMIN = '/api/v1/admin';

export const queues = async (signal?: AbortSignal): Promise<Queues> => getJson(`${ADMIN}/queues`, { signal });
export const workers = async (signal?: AbortSignal): Promise<Worker[]> => (await getJson<Workers>(`${ADMIN}/workers`, { signal })).workers;
export const deadJobs = async (before: string | null, signal?: AbortSignal): Promise<DeadJobs> => getJson(`${ADMIN}/dead-jobs${queryString({ before })}`, { signal });
export const upstreams = async (signal?: AbortSignal): Promise<Upstreams> => getJson(`${ADMIN}/upstreams`, { signal });
export const config = async (signal?: AbortSignal): Promise<Configuration> => getJson(`${ADMIN}/config`, { signal });

/** The replays of a session, the newest first. */
export const replaysOf = async (id: string, signal?: AbortSignal): Promise<AuditEntry[]> =>
  (await getJson<AuditLog>(`${ADMIN}/audit-log${queryString({ subject: id, action: 'stage.replay', limit: 200 })}`, { signal })).entries;

/** Who the API takes us for; null where it doesn't tell, as without access control. */
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
/** Say of a session that it was seen, whose it is, or whether its answer is right. */
export const careFor = async (id: string, change: CareChange) => post<SessionCare>(`/sessions/${part(id)}/care`, change);
export const cancelSession = async (id: string, reason: string) => post(`/sessions/${part(id)}/cancel`, { reason });

/** Optional changes for a replay. */
export interface ReplayOverrides {
  llm_provider?: string;
  iteration_strategy?: string;
}

export const replayStage = async (id: string, stageIndex: number, reason: string, overrides: ReplayOverrides = {}) =>
  post<Replayed>(`/sessions/${part(id)}/stages/${String(stageIndex)}/replay`, { reason, ...overrides });

export type BulkAction = 'cancel' | 'replay';

/** Act on every session that a filter lets through; on a dry run they are only counted. */
export async function onMatching(action: BulkAction, filter: Parameters, reason: string, dryRun: boolean): Promise<Many> {
  const set = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)));
  const answer = await post<Many>(`/sessions/${action}`, { filter: set, reason, dry_run: dryRun });
  return answer ?? { dry_run: dryRun, matched: 0, matched_is_exact: true, affected: 0, session_ids: [] };
}
