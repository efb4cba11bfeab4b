/** HTTP client of the API. */
import { PREFIX } from './prefix';
import { ownHeaders, takePrefetched, TIMEOUT_MS } from './prefetch';
import { ApiError, kindOf, type ProblemBody } from './problem';

/** CSRF header, which pages of other origins cannot send. The API requires it for changes authenticated by a cookie. */
const CSRF: Record<string, string> = { 'x-tarsy-csrf': '1' };

/** Query parameters; empty values are left out, lists repeat the name. */
export type Query = Record<string, string | number | readonly string[] | null | undefined>;

/** Query string with `?`, or empty. */
export function queryString(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    if (typeof value === 'object')
      value.forEach((one) => {
        params.append(name, one);
      });
    else params.append(name, String(value));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

interface Options {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  text?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const unreachableWatchers = new Set<() => void>();

/** Calls `watcher` whenever a request gets no answer, until the returned function is called. */
export function onUnreachable(watcher: () => void): () => void {
  unreachableWatchers.add(watcher);
  return () => {
    unreachableWatchers.delete(watcher);
  };
}

async function problemOf(response: Response): Promise<ProblemBody> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('json')) return { title: response.statusText, status: response.status };
  try {
    return (await response.json()) as ProblemBody;
  } catch {
    return { title: response.statusText, status: response.status };
  }
}

/** Sends a request to the API; throws an `ApiError` unless it succeeds. */
export async function request(path: string, options: Options = {}): Promise<Response> {
  const headers = { ...ownHeaders(), ...(options.method === undefined ? {} : CSRF), ...options.headers };
  const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  let response: Response;
  try {
    response =
      (options.method === undefined ? await takePrefetched(path) : undefined) ??
      (await fetch(`${PREFIX}${path}`, { method: options.method ?? 'GET', headers, body, signal }));
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    unreachableWatchers.forEach((watcher) => {
      watcher();
    });
    if (limit.aborted) {
      throw new ApiError('timeout', 0, {
        title: 'Request timed out',
        detail: `no response within ${String(TIMEOUT_MS / 1000)} s`,
      });
    }
    throw new ApiError('unreachable', 0, { title: 'API unreachable', detail: 'connection failed' });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  throw new ApiError(kindOf(response.status, problem.code), response.status, problem);
}

/** Fetches JSON. */
export async function getJson<T>(path: string, options: Options = {}): Promise<T> {
  const response = await request(path, options);
  const type = response.headers.get('content-type') ?? '';
  // A static server that answers every path with its index page is not the API.
  if (!type.includes('json'))
    throw new ApiError('absent', 404, { title: 'Not available', detail: `${path} did not return JSON` });
  return (await response.json()) as T;
}

/** Sends JSON and reads JSON (or nothing). */
export async function send<T>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<T | null> {
  const response = await request(path, { method, body });
  if (response.status === 204) return null;
  const text = await response.text();
  return text === '' ? null : (JSON.parse(text) as T);
}
