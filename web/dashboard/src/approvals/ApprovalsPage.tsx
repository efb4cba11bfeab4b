import { Alert, Box, Typography } from '@mui/material';
import {
  approvals,
  COLUMN,
  EmptyState,
  ErrorState,
  Faint,
  isShownWhole,
  Loading,
  Toggle,
  useDeniedReason,
  usePollMs,
  useSubject,
  useTitle,
  type Wait,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useNavigate } from 'react-router-dom';
import { Page } from '../app/Page';
import { useAddress } from '../app/useAddress';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { ApprovalCard, DecisionDialog, type Asked } from './ApprovalCard';
import { APPROVALS, useOpenApprovals } from './useApprovals';
import { LoadMore } from '../fleet/Section';

/** Cards in a column; `at` is the index of the card that the keys act on. */
function Cards({
  waits,
  at,
  onAsk,
}: {
  waits: readonly Wait[];
  at: number;
  onAsk: (asked: Asked) => void;
}): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at >= 0) list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <Box ref={list} sx={{ ...COLUMN, gap: 1.5, '& > *': { scrollMarginTop: 60, scrollMarginBottom: 16 } }}>
      {waits.map((wait, index) => (
        <ApprovalCard key={wait.wait_id} wait={wait} current={index === at} onAsk={onAsk} />
      ))}
    </Box>
  );
}

/** Approvals that wait for a decision. */
function Open(): ReactElement {
  const { data, error, isPending, refetch } = useOpenApprovals();
  const navigate = useNavigate();
  // Stored by id, because the list may change between two key presses.
  const [current, setCurrent] = useState<string | null>(null);
  const [asked, askWhy, close] = useSubject<Asked>();
  const waits = data?.approvals ?? [];
  const at = waits.findIndex((wait) => wait.wait_id === current);
  const chosen = waits[at];
  const mayNot = useDeniedReason(chosen?.role ?? 'operator');
  const move = (by: 1 | -1) => (): void => {
    setCurrent(waits[Math.min(waits.length - 1, Math.max(0, at + by))]?.wait_id ?? null);
  };
  const ask = (verdict: Asked['verdict']) => (): void => {
    if (chosen !== undefined && mayNot === null && (verdict === 'deny' || isShownWhole(chosen)))
      askWhy({ wait: chosen, verdict });
  };
  const open = (): void => {
    if (chosen !== undefined) void navigate(`/sessions/${chosen.session_id}`);
  };
  useShortcuts('Approvals', [
    { keys: 'j', does: 'next approval', run: move(1) },
    { keys: 'k', does: 'previous approval', run: move(-1) },
    { keys: 'a', does: 'approve it', run: ask('approve') },
    { keys: 'd', does: 'deny it', run: ask('deny') },
    { keys: 'Enter', does: 'open its session', run: open },
  ]);
  if (isPending) return <Loading what="the approvals" />;
  if (data === undefined) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <>
      {error !== null && <Alert severity="warning">Refresh failed, showing older data: {error.message}.</Alert>}
      {waits.length === 0 ? (
        <EmptyState title="Nothing waits for approval">
          Stages and tool calls that need a decision appear here.
        </EmptyState>
      ) : (
        <Cards waits={waits} at={at} onAsk={askWhy} />
      )}
      {data.next != null && <Faint>The {waits.length} most urgent are shown. Decide some to see the others.</Faint>}
      {asked !== null && <DecisionDialog asked={asked} onClose={close} />}
    </>
  );
}

/** Decided approvals: the decision, by whom and why. */
function Decided(): ReactElement {
  const every = usePollMs(15_000);
  const list = useInfiniteQuery({
    queryKey: [APPROVALS, 'decided'],
    queryFn: async ({ pageParam, signal }) => approvals({ status: 'decided', before: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next ?? null,
    placeholderData: keepPreviousData,
    refetchInterval: every,
  });
  if (list.isPending) return <Loading what="the approvals" />;
  if (list.data === undefined) return <ErrorState error={list.error} onRetry={list.refetch} />;
  const waits = list.data.pages.flatMap((page) => page.approvals);
  return (
    <>
      {waits.length === 0 ? (
        <EmptyState title="No decisions yet" />
      ) : (
        <Cards waits={waits} at={-1} onAsk={() => undefined} />
      )}
      <LoadMore list={list} />
    </>
  );
}

/** Inbox of approvals: stages and tool calls that wait for a person. */
export default function ApprovalsPage(): ReactElement {
  useTitle('Approvals');
  const [params, change] = useAddress();
  const decided = params.get('status') === 'decided';
  return (
    <Page widest={960}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'space-between', flexWrap: 'wrap' }}>
        <Typography variant="h1">Approvals</Typography>
        <Toggle
          label="Which approvals"
          value={decided ? 'decided' : 'open'}
          options={[
            ['open', 'Waiting'],
            ['decided', 'Decided'],
          ]}
          onChange={(next) => {
            change({ status: next === 'open' ? null : next });
          }}
          button={{ px: 1.5, textTransform: 'none', color: 'text.primary' }}
        />
      </Box>
      {decided ? <Decided /> : <Open />}
    </Page>
  );
}
