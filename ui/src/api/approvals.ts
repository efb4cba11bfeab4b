/** Approvals: what waits for a person, and their decisions. */
import { getJson, queryString, send } from './client';
import type { Approvals, Wait } from './types';

const APPROVALS = '/api/v1/approvals';

/** Which approvals; `open` wait for somebody. */
export interface ApprovalFilter { status: 'open' | 'decided'; before?: string | null; limit?: number }

/** Approvals, newest first. */
export const approvals = async (filter: ApprovalFilter, signal?: AbortSignal): Promise<Approvals> => getJson(`${APPROVALS}${queryString({ ...filter })}`, { signal });

/** Approves or denies. Whoever comes second gets a 409 that says who was first. */
export const decideApproval = async (id: string, decision: 'approve' | 'deny', reason: string): Promise<Wait | null> =>
  send('POST', `${APPROVALS}/${encodeURIComponent(id)}`, { decision, reason });
