/** Approvals and their decisions. */
import { getJson, queryString, send } from './client';
import type { Approvals, Wait } from './types';

const APPROVALS = '/api/v1/approvals';

/** Filter of approvals; `open` ones wait for a decision. */
export interface ApprovalFilter {
  status: 'open' | 'decided';
  order?: 'urgent';
  before?: string | null;
  limit?: number;
}

/** Approvals, newest first unless another order is asked for. */
export const approvals = async (filter: ApprovalFilter, signal?: AbortSignal): Promise<Approvals> =>
  getJson(`${APPROVALS}${queryString({ ...filter })}`, { signal });

/** Approves or denies. A second decision gets a 409 that names the first. */
export const decideApproval = async (id: string, decision: 'approve' | 'deny', reason: string): Promise<Wait | null> =>
  send('POST', `${APPROVALS}/${encodeURIComponent(id)}`, { decision, reason });
