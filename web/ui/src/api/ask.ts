/** Questions to the knowledge store. */
import { request } from './client';
import type { components } from './schema';
import type { AcceptedMessage } from './types';

/** Values that the searched records must have, by field. */
export type KnowledgeFilters = Record<string, string[]>;

/** Asks the knowledge store. The idempotency `key` makes a retry safe. */
export async function askKnowledge(
  question: components['schemas']['NewQuestion'],
  key: string,
): Promise<AcceptedMessage> {
  const response = await request('/api/v1/ask', {
    method: 'POST',
    body: question,
    headers: { 'idempotency-key': key },
  });
  return (await response.json()) as AcceptedMessage;
}
