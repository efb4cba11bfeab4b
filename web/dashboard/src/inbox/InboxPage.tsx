import { Box, Button, Link, Typography } from '@mui/material';
import {
  asApiError,
  countSessions,
  DASHBOARD_CHANNEL,
  ErrorState,
  listSessions,
  Loading,
  Time,
  usePollMs,
  useRefetchOn,
  useTitle,
  statusTone,
  waitTone,
  type SessionLine,
} from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { Page } from '../app/Page';
import { SetupNote } from '../setup/SetupNote';
import { useOpenApprovals } from '../approvals/useApprovals';
import { saveListPosition } from '../sessions/listPosition';
import { totalLabel } from '../sessions/total';
import { askedFor, placeOf, Rows, SessionRow, StormRow, WaitRow, type Named } from './InboxRow';
import { ENDED, LISTS, UNFINISHED } from './queries';
import { sortOut, sumOf } from './sortOut';
import { storms, type Entry } from './storms';
import { currentVisit, keepVisit } from './visits';

/** Minimum time between two refetches after events, in milliseconds. */
const REFETCH_MS = 2000;

/** Returns one of the lists, kept up to date. */
function useList(name: keyof typeof LISTS) {
  const every = usePollMs(5000);
  const queryKey = useMemo(() => ['inbox', name], [name]);
  useRefetchOn(DASHBOARD_CHANNEL, queryKey, REFETCH_MS);
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      listSessions(LISTS[name], signal).catch(async (error: unknown) => {
        if (name !== 'running' || asApiError(error).kind !== 'invalid') throw error;
        return { ...(await listSessions(UNFINISHED, signal)), isOlder: true };
      }),
    refetchInterval: every,
  });
}

/** Returns the time after which an ended session is new. It is stored when the page is left. */
function useVisit(): [since: number, seeAll: () => void] {
  const [since, setSince] = useState(() => currentVisit().since);
  useEffect(() => {
    const keep = (): void => {
      keepVisit(since);
    };
    keep();
    // Covers closing the tab too.
    document.addEventListener('visibilitychange', keep);
    return () => {
      keep();
      document.removeEventListener('visibilitychange', keep);
    };
  }, [since]);
  return [
    since,
    () => {
      setSince(Date.now());
    },
  ];
}

/** A part of the inbox: its rows with their number, or a text about having none. */
function Part({
  id,
  title,
  rows,
  number,
  none,
  all,
}: {
  id: string;
  title: ReactNode;
  rows: readonly ReactElement[];
  /** Total number, as text. The rows may be fewer: only the newest are shown, and an incident is one row. */
  number: string;
  none: string;
  all?: ReactNode;
}): ReactElement {
  return (
    <Box component="section" aria-labelledby={`inbox-${id}`} data-testid={`inbox-${id}`} sx={{ minWidth: 0 }}>
      <Box sx={{ display: 'flex', columnGap: 1.5, flexWrap: 'wrap', alignItems: 'baseline', mb: 1 }}>
        <Typography variant="h2" id={`inbox-${id}`}>
          {title}
        </Typography>
        <Typography variant="body2" color="text.secondary" sx={{ flex: 1 }}>
          {rows.length === 0 ? '' : number}
        </Typography>
        {all}
      </Box>
      {rows.length === 0 ? (
        <Typography variant="body2" color="text.secondary">
          {none}
        </Typography>
      ) : (
        <Rows aria-labelledby={`inbox-${id}`}>{rows}</Rows>
      )}
    </Box>
  );
}

/** Renders the rows of a part. The rows of one incident are joined into one. */
const entries = <T,>(
  all: readonly Entry<T>[],
  rowOf: (row: T) => ReactElement,
  nameOf: (row: T) => Named,
): ReactElement[] =>
  all.map((entry) => {
    if ('row' in entry) return rowOf(entry.row);
    return (
      <StormRow key={entry.incident} incident={entry.incident} members={entry.members} rows={entry.rows.map(nameOf)}>
        {entry.rows.map(rowOf)}
      </StormRow>
    );
  });

/** Label of a session's chip. */
const stateOf = ({ waiting, status, outcome, verdict }: SessionLine): string =>
  (waiting == null ? statusTone(status, outcome, verdict) : waitTone(waiting)).label;

/** Link to the sessions of a list in History, or to another page. */
function All({ to, children }: { to: string; children: ReactNode }): ReactElement {
  return (
    <Link component={RouterLink} to={to.startsWith('/') ? to : `/sessions?${to}`} variant="body2">
      {children}
    </Link>
  );
}

/** Home page: sessions that need a person, that run, and that ended since the last visit. */
export default function InboxPage(): ReactElement {
  const approvals = useOpenApprovals();
  const [failed, critical, running, ended] = [
    useList('failed'),
    useList('critical'),
    useList('running'),
    useList('ended'),
  ];
  const [since, seeAll] = useVisit();
  const waits = useMemo(() => approvals.data?.approvals ?? [], [approvals.data]);
  const inbox = useMemo(
    () =>
      sortOut(
        {
          failed: failed.data?.sessions ?? [],
          critical: critical.data?.sessions ?? [],
          running: running.data?.sessions ?? [],
          ended: ended.data?.sessions ?? [],
        },
        since,
      ),
    [failed.data, critical.data, running.data, ended.data, since],
  );
  // There may be more than the lists contain. Approvals have no total; `next` shows that there are more.
  const open = {
    total_items: waits.length,
    total_at_least: waits.length,
    total_is_exact: approvals.data?.next == null,
  };
  const needs = totalLabel(
    sumOf([open, failed.data?.pagination, critical.data?.pagination]),
    waits.length + inbox.unread.length,
  );
  const isMore = ({ data }: ReturnType<typeof useList>): boolean => data?.pagination.next_cursor != null;
  const [isMoreUnread, isMoreRunning] = [isMore(failed) || isMore(critical), isMore(running)];
  // The list has only the newest sessions. If all of them are new, there may be more new ones.
  const isMoreDone = isMore(ended) && (ended.data?.sessions.at(-1)?.completed_at_us ?? 0) / 1000 > since;
  const endedSince = useQuery({
    queryKey: ['inbox', 'ended', 'count', since],
    queryFn: async ({ signal }) => countSessions({ ...ENDED, ended_since: new Date(since).toISOString() }, signal),
    enabled: isMoreDone,
    refetchInterval: 5000,
  }).data;
  useTitle(needs === '0' ? 'Inbox' : `(${needs}) Inbox`);
  useEffect(() => {
    saveListPosition({ path: '/inbox', rows: [...inbox.unread, ...inbox.running, ...inbox.done] });
  }, [inbox]);
  const isOlder = running.data !== undefined && 'isOlder' in running.data;
  const lists = [failed, critical, running, ended];
  const error = lists.find((list) => list.data === undefined && list.error !== null)?.error;
  if (error != null) return <ErrorState error={error} onRetry={() => void lists.map(({ refetch }) => refetch())} />;
  if (lists.some((list) => list.data === undefined)) return <Loading what="the inbox" />;
  const lines = (sessions: readonly SessionLine[]): ReactElement[] =>
    entries(
      storms(sessions),
      (session) => <SessionRow key={session.session_id} session={session} />,
      (session) => ({ ...session, state: stateOf(session) }),
    );
  const decisions = entries(
    storms(waits),
    (wait) => <WaitRow key={wait.wait_id} wait={wait} />,
    (wait) => ({ ...wait, target: placeOf(wait), state: askedFor(wait) }),
  );
  return (
    <Page widest={1100} gap={3}>
      <Typography variant="h1">Inbox</Typography>
      <SetupNote hasAnswer={ended.data?.sessions.some(({ status }) => status === 'completed') === true} />
      <Part
        id="needs"
        title="Needs you"
        rows={[...decisions, ...lines(inbox.unread)]}
        number={needs}
        none="Nothing waits for a decision, and every failed or critical session is acknowledged."
        all={
          <>
            {!open.total_is_exact && <All to="/approvals">All approvals</All>}
            {isMoreUnread && (
              <>
                <All to="status=failed&acknowledged=false">All failed</All>
                <All to="status=completed&severity=%3E%3Dcritical&acknowledged=false">All critical</All>
              </>
            )}
          </>
        }
      />
      <Part
        id="running"
        title="Running"
        rows={lines(inbox.running)}
        number={`${totalLabel(sumOf([running.data?.pagination]), inbox.running.length)}${isOlder ? ' with those that need you: this API is older than the page' : ''}`}
        none="No session runs."
        all={
          isMoreRunning && (
            <All
              to={isOlder ? 'status=pending&status=in_progress' : 'progress=stuck&progress=queued&progress=in_progress'}
            >
              All running
            </All>
          )
        }
      />
      <Part
        id="done"
        title={
          <>
            Done since <Time us={since * 1000} always="absolute" />
          </>
        }
        rows={lines(inbox.done)}
        number={
          isMoreDone && endedSince !== undefined
            ? `the newest of ${totalLabel(sumOf([endedSince]), inbox.done.length)} that ended`
            : `${String(inbox.done.length)}${isMoreDone ? '+' : ''}`
        }
        none="No other session has ended since your last visit."
        all={
          <>
            {inbox.done.length > 0 && (
              <Button onClick={seeAll} sx={{ py: 0 }}>
                Mark as seen
              </Button>
            )}
            {isMoreDone && <All to="status=completed&status=failed&status=cancelled&sort=ended">All that ended</All>}
            <All to="">History</All>
          </>
        }
      />
    </Page>
  );
}
