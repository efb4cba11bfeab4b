import { Alert, Box, Tab, Tabs } from '@mui/material';
import {
  answerShown,
  CARD,
  expectMarkdown,
  isRecordInView,
  Late,
  Loading,
  sessionChannel,
  sessionQuery,
  statusTone,
  tellAnswerShown,
  usePollMs,
  useRefetchOn,
  useTitle,
  type ReadSession,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  lazy,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
} from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { Page } from '../app/Page';
import { conversation } from '../app/lazyPages';
import { useAddress } from '../app/useAddress';
import { useIsWide } from '../app/useIsWide';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { saveListPosition, listAddress, adjacentSession } from '../sessions/listPosition';
import { AnswerZone } from './AnswerZone';
import { DispatchNote } from './ChildList';
import { Header } from './Header';
import { SessionNotFound } from './SessionNotFound';
import { useScrollAnchor } from './scrollAnchor';
import { PhoneBar } from './PhoneBar';
import { Questions } from './questions/Questions';
import { StageCards } from './StageCards';
import { TABS, type TabName, readTab } from './tabs';

const Waterfall = lazy(async () => import('./waterfall/Waterfall'));
const StageHandoff = lazy(async () => import('./StageHandoff'));
const AlertTab = lazy(async () => import('./AlertTab'));
const ActivityTab = lazy(async () => import('./ActivityTab'));
const IncidentCard = lazy(async () => import('../incidents/IncidentCard'));
const RemovedNote = lazy(async () => import('../incidents/RemovedNote'));
const CompareDialog = lazy(async () => import('./compare/CompareDialog'));

// Loaded in parallel with the session, because it is needed as soon as the session arrives.
void expectMarkdown();
if (isRecordInView()) void conversation.expect();

function Panel({ tab, session }: { tab: TabName; session: ReadSession }): ReactElement {
  switch (tab) {
    case 'conversation':
      return <conversation.Part session={session} />;
    case 'waterfall':
      return <Waterfall session={session} />;
    case 'handover':
      return <StageHandoff session={session} />;
    case 'alert':
      return <AlertTab session={session} />;
    case 'activity':
      return <ActivityTab session={session} />;
  }
}

/** Session page: analysis, stages and record. */
export default function SessionPage(): ReactElement {
  const { id = '' } = useParams();
  const isWide = useIsWide();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [params, change] = useAddress();
  const tab = readTab(params);
  const every = usePollMs(1500);
  const query = useMemo(() => sessionQuery(queries, id, answerShown), [queries, id]);
  const { data, error, refetch } = useQuery({
    ...query,
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status === 'completed' || status === 'failed' || status === 'cancelled' ? 60_000 : every;
    },
  });
  // The deferred value renders in slices, so that input is handled in between. It may be of a session that was left.
  const latest = useDeferredValue(data);
  const session = latest?.session_id === id ? latest : undefined;
  const inPage = session?.session_id;
  useEffect(() => (inPage === undefined ? undefined : tellAnswerShown(inPage)), [inPage]);
  useTitle(
    session === undefined ? 'Session' : `${statusTone(session.status, session.outcome).label}: ${session.alert_type}`,
  );
  useRefetchOn(sessionChannel(id), query.queryKey, 500);
  const show = useCallback(
    (name: TabName) => {
      change({ tab: name === 'conversation' ? null : name, event: null });
    },
    [change],
  );
  const compared = params.get('compare');
  const compare = useCallback(
    (word: string | null) => {
      change({ compare: word });
    },
    [change],
  );
  const repeated =
    session?.stages.find((stage) => stage.attempt > stage.branch + 1)?.stage_index ??
    session?.stages.find((stage) => stage.attempt > 1)?.stage_index;
  const step = (by: 1 | -1) => (): void => {
    const other = adjacentSession(id, by);
    if (other === null) return;
    saveListPosition({ current: other });
    void navigate(`/sessions/${other}`);
  };
  const open = (name: TabName) => (): void => {
    show(name);
  };
  const compareRuns = (): void => {
    compare(String((repeated ?? 0) + 1));
  };
  const back = (): void => {
    void navigate(listAddress());
  };
  useShortcuts('Session', [
    ...TABS.map(([name, label], at) => ({ keys: String(at + 1), does: label.toLowerCase(), run: open(name) })),
    ...(repeated === undefined ? [] : [{ keys: 'c', does: 'compare runs of a stage', run: compareRuns }]),
    { keys: 'Escape', does: 'back to the list', run: back },
    { keys: 'J', does: 'next session in the list', run: step(1) },
    { keys: 'K', does: 'previous session in the list', run: step(-1) },
  ]);
  const record = useRef<HTMLDivElement>(null);
  // A link that names a view scrolls to it.
  const [pointed] = useState(() => (params.has('tab') || params.has('find')) && !params.has('event'));
  useScrollAnchor(pointed && session !== undefined ? 'record' : null, session?.whole === false, () => {
    record.current?.scrollIntoView({ block: 'start' });
  });
  if (session === undefined && data === undefined && error !== null)
    return <SessionNotFound id={id} error={error} onRetry={refetch} />;
  if (session === undefined) return <Loading what="the session" />;
  return (
    <Page widest={1560}>
      <Header
        session={session}
        onChanged={() => {
          void queries.invalidateQueries();
        }}
      />
      {!isWide && <PhoneBar session={session} />}
      {error !== null && (
        <Alert severity="warning">
          Refresh failed, showing older data: {error.message}. <Link to=".">Retrying automatically.</Link>
        </Alert>
      )}
      <DispatchNote session={session} />
      <AnswerZone session={session} />
      {session.incident != null && (
        <Suspense fallback={null}>
          {session.incident.removed_at_us == null ? (
            <IncidentCard id={session.incident.incident_id} current={id} />
          ) : (
            <RemovedNote sessionId={id} by={session.incident.removed_by} />
          )}
        </Suspense>
      )}
      {session.conversation_id == null && session.completed_at_us != null && <Questions session={session} />}
      <Box id="stages" sx={{ scrollMarginTop: 54 }}>
        <StageCards session={session} onCompare={compare} />
      </Box>
      <Box ref={record} id="record" sx={{ ...CARD, minWidth: 0, scrollMarginTop: 54 }}>
        <Tabs
          value={tab}
          onChange={(_, next: TabName) => {
            show(next);
          }}
          aria-label="Session details"
          variant="scrollable"
          scrollButtons={false}
        >
          {TABS.map(([name, label]) => (
            <Tab key={name} value={name} label={label} id={`tab-${name}`} aria-controls="panel" />
          ))}
        </Tabs>
        <Box role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} sx={{ borderTop: 1, borderColor: 'divider' }}>
          <Suspense fallback={<Loading what="the view" />}>
            <Late until={<Loading what="the view" />} atOnce={isRecordInView()}>
              <Panel tab={tab} session={session} />
            </Late>
          </Suspense>
        </Box>
      </Box>
      {compared !== null && (
        <Suspense fallback={null}>
          <CompareDialog
            session={session}
            word={compared}
            onChange={compare}
            onClose={() => {
              compare(null);
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}
