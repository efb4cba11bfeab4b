/** Questions about ended sessions. */
import { getJson, request } from './client';
import type { AcceptedMessage, Messages } from './types';

const path = (id: string): string => `/api/v1/sessions/${encodeURIComponent(id)}/messages`;

/** Maximum length of a question, in characters; the same limit as in the API. */
export const LONGEST_QUESTION = 4000;

/** The questions about a session, with their answers, oldest first. */
export const messages = async (id: string, signal?: AbortSignal): Promise<Messages> => getJson(path(id), { signal });

/** Asks a question. The idempotency `key` makes a retry safe. */
export async function askSession(id: string, text: string, key: string): Promise<AcceptedMessage> {
  const response = await request(path(id), { method: 'POST', body: { text }, headers: { 'idempotency-key': key } });
  return (await response.json()) as AcceptedMessage;
}
