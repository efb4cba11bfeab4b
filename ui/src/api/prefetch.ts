/** Requests started before the app is loaded. */
import { tabToken } from './access';

const asked = new Map<string, Promise<Response>>();

/** Headers of every request. */
export function ownHeaders(): Record<string, string> {
  const token = tabToken();
  return { accept: 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
}

/** Starts a request; the first `request` for the path takes its response. */
export function prefetch(path: string): void {
  const answer = fetch(path, { headers: ownHeaders() });
  // Whoever takes it hears of it.
  answer.catch(() => undefined);
  asked.set(path, answer);
}

/** Takes the pending response of a path, once. */
export function takePrefetched(path: string): Promise<Response> | undefined {
  const answer = asked.get(path);
  asked.delete(path);
  return answer;
}
