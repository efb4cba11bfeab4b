/** Reads sessions and submits alerts. */
import { getJson, queryString, request, send, type Query } from './client';
import { prefetch } from './prefetch';
import { ApiError } from './problem';
import type {
  ActivityEntry,
  NoteKind,
  ActiveSessions,
  Duplicates,
  Facets,
  FilterOptions,
  DryRunResult,
  Health,
  IncidentDetail,
  Metrics,
  NearChanges,
  RecordPart,
  RunbookState,
  SessionDetail,
  SessionList,
  SessionOfAlert,
  SubmitAnswer,
  Evaluation,
  Quality,
  Usage,
  WebhookRequest,
} from './types';

const HISTORY = '/api/v1/history';

/** Sessions per page, unless the query sets another `page_size`. */
export const SESSIONS_PAGE = 100;

const sessionsPath = (query: Query): string =>
  `${HISTORY}/sessions${queryString({ page_size: SESSIONS_PAGE, total: 'quick', ...query })}`;

/** A page of sessions; filters as the API names them. Its total is exact up to 10,000; `countSessions` counts more. */
export async function listSessions(query: Query, signal?: AbortSignal): Promise<SessionList> {
  return getJson(sessionsPath(query), { signal });
}

/**
 * Counts the sessions that match, also beyond 10,000. Matches of a text search are not counted. If counting takes too
 * long, the API returns an estimate (`total_is_exact`).
 */
export async function countSessions(query: Query, signal?: AbortSignal): Promise<SessionList['pagination']> {
  return (await listSessions({ ...query, page_size: 1, total: 'exact' }, signal)).pagination;
}

/** Starts loading the first page of a list, by default of all sessions. */
export function prefetchSessions(query: Query = {}): void {
  prefetch(sessionsPath(query));
}

export async function activeSessions(signal?: AbortSignal): Promise<ActiveSessions> {
  return getJson(`${HISTORY}/active-sessions`, { signal });
}

/** An incident with its first 200 sessions, and why they belong together. */
export async function showIncident(id: string, signal?: AbortSignal): Promise<IncidentDetail> {
  return getJson(`/api/v1/incidents/${encodeURIComponent(id)}?limit=200`, { signal });
}

/** Path of a session without its record. */
export const detailPath = (id: string): string => `${HISTORY}/sessions/${encodeURIComponent(id)}?interactions=none`;

/** Path of a part of a session's record. */
export const partPath = (id: string, after: string | null, limit: number): string =>
  `${HISTORY}/sessions/${encodeURIComponent(id)}/interactions${queryString({ after, limit })}`;

/** Session with its stages, without interactions. */
export async function sessionDetail(id: string, signal?: AbortSignal): Promise<SessionDetail> {
  return getJson(detailPath(id), { signal });
}

/** Session with its unmasked alert, for operators; audited. */
export async function rawSessionDetail(id: string, signal?: AbortSignal): Promise<SessionDetail> {
  return getJson(`${detailPath(id)}&raw=true`, { signal });
}

/** Session id of an alert; null: unknown. */
export async function sessionIdOfAlert(alertId: string, signal?: AbortSignal): Promise<string | null> {
  try {
    return (await getJson<SessionOfAlert>(`/session-id/${encodeURIComponent(alertId)}`, { signal })).session_id;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'invalid')) return null;
    throw error;
  }
}

/** Part of a session's record after an interaction. */
export async function recordPart(
  id: string,
  after: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<RecordPart> {
  return getJson(partPath(id, after, limit), { signal });
}

/** Duplicates of a session, newest first. */
export async function listDuplicates(id: string, signal?: AbortSignal): Promise<Duplicates> {
  return getJson(`${HISTORY}/sessions/${encodeURIComponent(id)}/duplicates`, { signal });
}

/** Changes near the alert of a session, oldest first. */
export async function changesNear(id: string, signal?: AbortSignal): Promise<NearChanges> {
  return getJson(`${HISTORY}/sessions/${encodeURIComponent(id)}/changes`, { signal });
}

/** Webhook request of a session; null: none stored. */
export async function webhookRequest(id: string, signal?: AbortSignal): Promise<WebhookRequest | null> {
  return (
    (
      await getJson<{ request?: WebhookRequest | null }>(`${HISTORY}/sessions/${encodeURIComponent(id)}/request`, {
        signal,
      })
    ).request ?? null
  );
}

/** Actions of people on a session and their notes, newest first. */
export const sessionActivity = async (id: string, signal?: AbortSignal): Promise<{ entries: ActivityEntry[] }> =>
  getJson(`/api/v1/history/sessions/${encodeURIComponent(id)}/activity`, { signal });

/** Adds to a session a note, or an action that somebody took. */
export const addNote = async (id: string, kind: NoteKind, text: string) =>
  send<ActivityEntry>('POST', `/api/v1/admin/sessions/${encodeURIComponent(id)}/notes`, { kind, text });

export async function filterOptions(signal?: AbortSignal): Promise<FilterOptions> {
  return getJson(`${HISTORY}/filter-options`, { signal });
}

/** Facet counts. */
export async function facets(query: Query, signal?: AbortSignal): Promise<Facets> {
  return getJson(`${HISTORY}/facets${queryString(query)}`, { signal });
}

/** Sums of calls, tokens and cost. */
export async function usage(query: Query, signal?: AbortSignal): Promise<Usage> {
  return getJson(`/api/v1/usage${queryString(query)}`, { signal });
}

/** Sums of calls, tokens and cost, as CSV. */
export async function usageCsv(query: Query): Promise<Blob> {
  return (await request(`/api/v1/usage${queryString({ ...query, format: 'csv' })}`)).blob();
}

/** Sums of verdicts, ratings and scores. */
export async function quality(query: Query, signal?: AbortSignal): Promise<Quality> {
  return getJson(`/api/v1/quality${queryString(query)}`, { signal });
}

/** Stored evaluations, newest first. */
export async function evaluations(signal?: AbortSignal): Promise<Evaluation[]> {
  return (await getJson<{ evaluations: Evaluation[] }>('/api/v1/evaluations', { signal })).evaluations;
}

export async function metrics(hours: number, signal?: AbortSignal): Promise<Metrics> {
  return getJson(`${HISTORY}/metrics?hours=${String(hours)}`, { signal });
}

/** Health of the service; degraded (503) is a valid response. */
export async function health(signal?: AbortSignal): Promise<Health> {
  try {
    return await getJson<Health>('/health', { signal });
  } catch (error) {
    if (error instanceof ApiError && typeof error.problem.services === 'object')
      return error.problem as unknown as Health;
    throw error;
  }
}

export async function alertTypes(signal?: AbortSignal): Promise<string[]> {
  return getJson('/alert-types', { signal });
}

/** Submits an alert. The idempotency `key` makes a retry safe. */
export async function submitAlert(body: unknown, key: string): Promise<SubmitAnswer> {
  const response = await request('/alerts', { method: 'POST', body, headers: { 'idempotency-key': key } });
  return (await response.json()) as SubmitAnswer;
}

/** Dry run of an alert by the API. */
export async function dryRunAlert(body: unknown, signal?: AbortSignal): Promise<DryRunResult> {
  return (await (await request('/alerts/dry-run', { method: 'POST', body, signal })).json()) as DryRunResult;
}

/** Checks whether the API can fetch a runbook. */
export async function checkRunbook(runbook: string, signal?: AbortSignal): Promise<RunbookState> {
  return (await (
    await request('/alerts/runbook-check', { method: 'POST', body: { runbook }, signal })
  ).json()) as RunbookState;
}

/** Response of a webhook, one result per alert. */
export interface WebhookAnswer {
  results?: ({ session_id?: string; status?: string; alert_id?: string } & Record<string, unknown>)[];
  [member: string]: unknown;
}

/** Sends an unsigned webhook payload. */
export async function sendWebhook(source: string, body: unknown): Promise<WebhookAnswer> {
  const response = await request(`/webhooks/${encodeURIComponent(source)}`, { method: 'POST', body });
  const text = await response.text();
  return text === '' ? {} : (JSON.parse(text) as WebhookAnswer);
}

/** Exports a session as a file. */
export async function exportSession(id: string, format: 'json' | 'csv' | 'md'): Promise<Blob> {
  const response = await request(`${HISTORY}/sessions/${encodeURIComponent(id)}/export?format=${format}`);
  return response.blob();
}
