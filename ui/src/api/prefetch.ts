/** Answers that were asked for before the app itself was there. */
import { accessKey } from './access';

const asked = new Map<string, Promise<Response>>();

/** What goes with every request: what we take, and who asks. */
export function ownHeaders(): Record<string, string> {
  const key = accessKey();
  return { accept: 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
}

/** Ask now; the first request for this path takes the answer. */
export function prefetch(path: string): void {
  const answer = fetch(path, { headers: ownHeaders() });
  // Whoever takes it hears of it.
  answer.catch(() => undefined);
  asked.set(path, answer);
}

/** The answer that is on its way already, once. */
export function takePrefetched(path: string): Promise<Response> | undefined {
  const answer = asked.get(path);
  asked.delete(path);
  return answer;
}
