/** What operators may do. Every action carries a reason; the API writes it to its audit log. */
import { getJson, send } from './client';

const ADMIN = '/api/v1/admin';

/** One queue, i.e. one pool of workers. */
export interface Queue {
  queue: string;
  ready?: number;
  scheduled?: number;
  running?: number;
  dead?: number;
  oldest_ready_seconds?: number | null;
  workers?: number | null;
  slots?: number | null;
  paused?: boolean;
  paused_at?: string | null;
  paused_by?: string | null;
  paused_reason?: string | null;
  reason?: string | null;
}

/** One worker process. */
export interface Worker {
  worker_id?: string;
  id?: string;
  role?: string;
  host?: string;
  pid?: number;
  version?: string;
  queues?: string[];
  pools?: string[];
  slots?: number;
  running?: number | { session_id?: string; subject?: string; kind?: string }[];
  heartbeat_age_seconds?: number | null;
  heartbeat_at_us?: number | null;
  heartbeat_at?: string | null;
  started_at_us?: number | null;
  started_at?: string | null;
  draining?: boolean;
  alive?: boolean;
}

/** A job that nobody will try again by itself. */
export interface DeadJob {
  id?: string;
  job_id?: string;
  queue: string;
  kind: string;
  subject?: string;
  reason?: string;
  error?: string;
  attempts?: number;
  crashes?: number;
  died_at?: string | null;
  died_at_us?: number | null;
}

/** Some endpoints answer a list, some an object that holds one. */
export function listOf<T>(answer: unknown): T[] {
  if (Array.isArray(answer)) return answer as T[];
  if (answer !== null && typeof answer === 'object') {
    const list = Object.values(answer).find((member) => Array.isArray(member));
    if (list !== undefined) return list as T[];
  }
  return [];
}

export const queues = async (signal?: AbortSignal): Promise<Queue[]> => listOf(await getJson(`${ADMIN}/queues`, { signal }));
export const workers = async (signal?: AbortSignal): Promise<Worker[]> => listOf(await getJson(`${ADMIN}/workers`, { signal }));
export const deadJobs = async (signal?: AbortSignal): Promise<DeadJob[]> =>
  listOf(await getJson(`${ADMIN}/dead-jobs`, { signal }));
export const config = async (signal?: AbortSignal): Promise<unknown> => getJson(`${ADMIN}/config`, { signal });

const post = async (path: string, body: unknown): Promise<unknown> => send('POST', `${ADMIN}${path}`, body);
const part = encodeURIComponent;

export const pauseQueue = async (queue: string, reason: string) => post(`/queues/${part(queue)}/pause`, { reason });
export const resumeQueue = async (queue: string, reason: string) => post(`/queues/${part(queue)}/resume`, { reason });
export const drainWorker = async (id: string, reason: string) => post(`/workers/${part(id)}/drain`, { reason });
export const requeueJob = async (id: string, reason: string) => post(`/dead-jobs/${part(id)}/requeue`, { reason });
export const discardJob = async (id: string, reason: string) => post(`/dead-jobs/${part(id)}/discard`, { reason });
export const cancelSession = async (id: string, reason: string) => post(`/sessions/${part(id)}/cancel`, { reason });

/** Optional changes for a replay. */
export interface ReplayOverrides {
  llm_provider?: string;
  iteration_strategy?: string;
}

export const replayStage = async (id: string, stageIndex: number, reason: string, overrides: ReplayOverrides = {}) =>
  post(`/sessions/${part(id)}/stages/${String(stageIndex)}/replay`, { reason, ...overrides });
