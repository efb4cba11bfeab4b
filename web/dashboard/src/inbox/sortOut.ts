/** Assigns each session to exactly one part of the inbox. */
import { isStageWait, type SessionLine, type SessionList } from '@tarsy/ui';
import type { Total } from '../sessions/total';

type Counted = Pick<SessionList['pagination'], 'total_items' | 'total_at_least' | 'total_is_exact'>;

export interface Lists {
  failed: readonly SessionLine[];
  critical: readonly SessionLine[];
  running: readonly SessionLine[];
  /** Ended sessions; the one that ended last comes first. */
  ended: readonly SessionLine[];
}

export interface Inbox {
  /** Failed or critical sessions that are not acknowledged, newest first. */
  unread: SessionLine[];
  /** Running sessions; those that can't continue by themselves come first. */
  running: SessionLine[];
  /** Ended since the last visit. */
  done: SessionLine[];
}

/** Waits that end by themselves, e.g. when a worker is free. Others need help or another service. */
const PASSING = new Set(['queued', 'children']);

/** Whether a session is held up by something that may need help. */
const isStuck = ({ waiting }: SessionLine): boolean =>
  waiting != null && !isStageWait(waiting) && !PASSING.has(waiting.reason);

/** Assigns sessions of the lists to parts. Leaves out those that wait for a person, which are listed as approvals. */
export function sortOut(lists: Lists, sinceMs: number): Inbox {
  const unread = [...lists.failed, ...lists.critical].toSorted((a, b) => b.started_at_us - a.started_at_us);
  const isUnread = new Set(unread.map(({ session_id: id }) => id));
  const running = lists.running.filter(({ waiting }) => waiting?.reason !== 'approval');
  return {
    unread,
    running: [...running.filter(isStuck), ...running.filter((session) => !isStuck(session))],
    done: lists.ended.filter(
      ({ session_id: id, completed_at_us: at }) => !isUnread.has(id) && at != null && at / 1000 > sinceMs,
    ),
  };
}

/** Sum of the totals of lists that share no session. */
export const sumOf = (lists: readonly (Counted | undefined)[]): Total => {
  const sum = (of: (list: Counted) => number): number =>
    lists.reduce((all, list) => all + (list === undefined ? 0 : of(list)), 0);
  return {
    number: sum(({ total_items: number }) => number),
    atLeast: sum(({ total_at_least: number }) => number),
    exact: lists.every((list) => list?.total_is_exact !== false),
  };
};
