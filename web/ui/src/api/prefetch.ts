/** Requests started before the app is loaded. */
import { tabToken } from './access';
import { PREFIX } from './prefix';

/** Request timeout, milliseconds. */
export const TIMEOUT_MS = 20_000;

const asked = new Map<string, Promise<Response>>();

/** Headers of every request. */
export function ownHeaders(): Record<string, string> {
  const token = tabToken();
  return { accept: 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
}

/** Starts a request; the first `request` for the path takes its response. */
export function prefetch(path: string): void {
  const answer = fetch(`${PREFIX}${path}`, { headers: ownHeaders(), signal: AbortSignal.timeout(TIMEOUT_MS) });
  // A failure is ignored here: the caller of `takePrefetched` then sends the request again.
  answer.catch(() => undefined);
  asked.set(path, answer);
}

/**
 * Takes the prefetched response of a path, once. Returns undefined if the request failed, because the user may have
 * signed in since.
 */
export async function takePrefetched(path: string): Promise<Response | undefined> {
  const answer = asked.get(path);
  asked.delete(path);
  try {
    const response = await answer;
    return response?.ok === true ? response : undefined;
  } catch {
    return undefined;
  }
}
