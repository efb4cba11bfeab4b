/** Questions to the knowledge store. */
import { request } from './client';
import type { AcceptedMessage } from './types';

/** Values that fields of the records must have. */
export type KnowledgeFilters = Record<string, string[]>;

export interface KnowledgeQuestion {
  question: string;
  /** All collections by default. */
  collection?: string;
  filters?: KnowledgeFilters;
  /** A session of the conversation that it continues. */
  conversation?: string;
}

/** Asks the knowledge store; `key` makes repeating safe. */
export async function askKnowledge(question: KnowledgeQuestion, key: string): Promise<AcceptedMessage> {
  const response = await request('/api/v1/ask', {
    method: 'POST',
    body: question,
    headers: { 'idempotency-key': key },
  });
  return (await response.json()) as AcceptedMessage;
}
