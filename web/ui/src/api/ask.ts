/** Questions to the knowledge store. */
import { request } from './client';
import type { components } from './schema';
import type { AcceptedMessage } from './types';

/** Values that fields of the records must have. */
export type KnowledgeFilters = Record<string, string[]>;

/** Asks the knowledge store; `key` makes repeating safe. */
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
