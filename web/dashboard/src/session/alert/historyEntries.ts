/** Alert history of a session: original, duplicates, resolve. */
import type { Duplicates, SessionDetail } from '@tarsy/ui';

export interface AlertHistoryEntry {
  /** 0: the session's own alert; null: the resolve. */
  number: number | null;
  atUs: number;
  /** Timestamp of the sender. */
  happenedUs: number | null;
  status: 'firing' | 'resolved' | null;
  severity: string | null;
  source: string;
  author: string | null;
}

/** Returns the alerts of a session, newest first. */
export function alertHistory(
  session: Pick<
    SessionDetail,
    'started_at_us' | 'alert_timestamp_us' | 'resolved_at_us' | 'severity' | 'source' | 'author'
  >,
  duplicates: Duplicates['duplicates'],
): AlertHistoryEntry[] {
  const { source, author = null, severity } = session;
  const own: AlertHistoryEntry = {
    number: 0,
    atUs: session.started_at_us,
    happenedUs: session.alert_timestamp_us,
    status: source === 'api' ? null : 'firing',
    severity,
    source,
    author,
  };
  const again = duplicates.map((one): AlertHistoryEntry => ({
    number: one.number,
    atUs: one.received_at_us,
    happenedUs: one.alert_timestamp_us ?? null,
    status: one.status === 'firing' ? 'firing' : null,
    severity: one.severity,
    source: one.source,
    author: one.author ?? null,
  }));
  const over: AlertHistoryEntry[] =
    session.resolved_at_us == null
      ? []
      : [
          {
            number: null,
            atUs: session.resolved_at_us,
            happenedUs: null,
            status: 'resolved',
            severity: null,
            source,
            author: null,
          },
        ];
  return [...again, own, ...over].toSorted((a, b) => b.atUs - a.atUs || (b.number ?? 0) - (a.number ?? 0));
}

/** Duplicates that were counted but not stored. */
export const unlistedDuplicates = ({ duplicate_count: all, duplicates }: Duplicates): number =>
  Math.max(0, all - duplicates.length);
