/** Lists of the inbox. This file does not import React, so that the entry can request them before the app is loaded. */
import type { Query } from '@tarsy/ui';

/** Sessions that ended. */
export const ENDED = { status: ['completed', 'failed', 'cancelled'] } as const;

export const LISTS = {
  /** Ended without an answer, and not acknowledged. */
  failed: { status: ['failed'], acknowledged: 'false', page_size: 20 },
  /** Answered, but critical, and not acknowledged. */
  critical: { status: ['completed'], severity: '>=critical', acknowledged: 'false', page_size: 20 },
  /** Unfinished sessions, except those that wait for a decision, which are listed as approvals. */
  running: { progress: ['stuck', 'queued', 'in_progress'], page_size: 20 },
  ended: { ...ENDED, sort_by: 'completed_at_us', sort_order: 'desc', page_size: 50 },
} as const satisfies Record<string, Query>;

/** Replaces `running` for an API that does not know `progress`. Includes sessions that wait for a decision. */
export const UNFINISHED = { status: ['pending', 'in_progress'], page_size: 20 } as const satisfies Query;
