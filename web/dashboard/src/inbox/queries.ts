/** The lists of the inbox. Without React: the entry asks for them before the app is there. */
import type { Query } from '@tarsy/ui';

/** Sessions that ended. */
export const ENDED = { status: ['completed', 'failed', 'cancelled'] } as const;

export const LISTS = {
  /** Ended without an answer, and acknowledged by no person. */
  failed: { status: ['failed'], acknowledged: 'false', page_size: 20 },
  /** Answered, but critical, and acknowledged by no person. */
  critical: { status: ['completed'], severity: '>=critical', acknowledged: 'false', page_size: 20 },
  /** What waits for a decision stands among the approvals. */
  running: { progress: ['stuck', 'queued', 'in_progress'], page_size: 20 },
  ended: { ...ENDED, sort_by: 'completed_at_us', sort_order: 'desc', page_size: 50 },
} as const satisfies Record<string, Query>;

/** Instead of `running` for an API that does not know `progress`: what waits for a decision is among them. */
export const UNFINISHED = { status: ['pending', 'in_progress'], page_size: 20 } as const satisfies Query;
