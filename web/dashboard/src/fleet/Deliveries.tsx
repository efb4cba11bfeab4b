import { Box, TableCell, TableRow, Typography } from '@mui/material';
import {
  Faint,
  formatCount,
  deliveries,
  EmptyState,
  ExplainedButton,
  NoResults,
  ReasonDialog,
  redeliver,
  Time,
  ToneChip,
  useConfig,
  useDeniedReason,
  useSubject,
  type Delivery,
  type DeliveryState,
} from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link } from 'react-router-dom';
import {
  lastResponse,
  deliveryStatus,
  isQueued,
  lastUs,
  deduplicated,
  readPage,
  STATES,
  targets,
  type Place,
  type Target,
} from './deliveries';
import { DeliveryFilters } from './DeliveryFilters';
import { DeliveryGroups } from './DeliveryGroups';
import { LoadMore, QueryResult, Section, SmallTable, TimeCell } from './Section';

function Row({
  one,
  mayNot,
  onAsk,
}: {
  one: Delivery;
  mayNot: string | null;
  onAsk: (one: Delivery) => void;
}): ReactElement {
  const { tone, label, why } = deliveryStatus(one);
  return (
    <TableRow data-testid="delivery">
      <TableCell sx={{ fontWeight: 600 }}>{one.target}</TableCell>
      <TableCell title={why}>
        <ToneChip tone={tone} label={label} />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        {one.event}
        <Link to={`/sessions/${one.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>
          session {one.session_id.slice(-6)}
        </Link>
      </TableCell>
      <TableCell align="right">{formatCount(one.attempts)}</TableCell>
      <TableCell sx={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>
        {lastResponse(one) || '–'} <Faint>{one.attempts > 0 && <Time us={lastUs(one)} />}</Faint>
      </TableCell>
      <TimeCell us={one.created_at_us} />
      <TableCell align="right">
        <ExplainedButton
          why={mayNot}
          variant="outlined"
          sx={{ whiteSpace: 'nowrap' }}
          onClick={() => {
            onAsk(one);
          }}
        >
          Redeliver
        </ExplainedButton>
      </TableCell>
    </TableRow>
  );
}

/** Empty state of the notifications. */
function Nothing({ to }: { to: Target[] | null }): ReactElement {
  if (to === null) return <EmptyState title="No notifications yet" />;
  if (to.length === 0)
    return (
      <EmptyState title="No notification targets">
        Add targets under <code>notifications</code> in the configuration to be notified when sessions end or wait.
      </EmptyState>
    );
  if (to.every((target) => target.lacks !== null))
    return (
      <EmptyState title="No usable notification target">Every configured target is incomplete. See above.</EmptyState>
    );
  return <EmptyState title="No notifications yet">Targets are notified when a session ends or waits.</EmptyState>;
}

/** Configured targets; disabled ones are marked. */
function Targets({ to }: { to: Target[] }): ReactElement {
  return (
    <Box
      component="ul"
      aria-label="Configured targets"
      sx={{
        listStyle: 'none',
        m: 0,
        px: 2,
        pb: 1,
        display: 'flex',
        columnGap: 2,
        rowGap: 0.5,
        flexWrap: 'wrap',
        alignItems: 'center',
      }}
    >
      {to.map(({ name, format, events, lacks }) => (
        <Faint
          key={name}
          component="li"
          sx={{ display: 'flex', columnGap: 0.75, flexWrap: 'wrap', alignItems: 'center' }}
        >
          <span>
            <Box component="span" sx={{ color: 'text.primary', fontWeight: 600 }}>
              {name}
            </Box>{' '}
            ({format}) on {events.join(', ')}
          </span>{' '}
          {lacks !== null && <ToneChip tone="warn" label={`disabled: ${lacks}`} />}
        </Faint>
      ))}
    </Box>
  );
}

/** Notifications of session ends, failed ones first. */
export function Deliveries({ every, onChanged }: { every: number; onChanged: () => void }): ReactElement {
  const [asked, ask, close] = useSubject<Delivery>();
  const [state, setState] = useState<DeliveryState | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const mayNot = useDeniedReason('operator');
  const to = targets(useConfig().data);
  const list = useInfiniteQuery({
    queryKey: ['deliveries', state, target],
    queryFn: async ({ pageParam, signal }) =>
      readPage(async (filter) => deliveries(filter, signal), pageParam, target, state),
    initialPageParam: { state: state ?? STATES[0], before: null } as Place,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.deliveries.some(isQueued)) === true ? every : 60_000,
  });
  const all = deduplicated(list.data?.pages ?? []);
  const undone = list.data?.pages[0]?.counts;
  const isFiltered = state !== null || target !== null;
  const clear = (): void => {
    setState(null);
    setTarget(null);
  };
  const known = to?.some((one) => one.name === asked?.target && one.lacks === null);
  return (
    <Section
      title="Notifications"
      id="notifications"
      note="sent when a session ends or waits; failed ones first, then the newest"
    >
      {undone != null && undone.failed + undone.pending > 0 && (
        <Typography variant="caption" data-testid="undelivered" sx={{ px: 2, pb: 1, display: 'block' }}>
          {formatCount(undone.failed)} failed, {formatCount(undone.pending)} pending
        </Typography>
      )}
      {to !== null && to.length > 0 && <Targets to={to} />}
      <DeliveryGroups
        every={every}
        onChanged={onChanged}
        onShow={(group) => {
          setState(STATES.find((one) => one === group.state) ?? null);
          setTarget(group.target);
        }}
      />
      {(isFiltered || all.length > 0) && (
        <DeliveryFilters
          state={state}
          target={target}
          names={[...new Set([...(to ?? []).map((one) => one.name), ...all.map((one) => one.target)])]}
          onState={setState}
          onTarget={setTarget}
        />
      )}
      <QueryResult list={list} what="the notifications">
        {() =>
          all.length > 0 ? (
            <SmallTable
              label="Notifications"
              head={['Target', 'Status', 'Event', ['Attempts', 'right'], 'Last response', 'Created', '']}
            >
              {all.map((one) => (
                <Row key={one.delivery_id} one={one} mayNot={mayNot} onAsk={ask} />
              ))}
            </SmallTable>
          ) : isFiltered ? (
            <NoResults onClear={clear}>No notifications match the current filters.</NoResults>
          ) : (
            <Nothing to={to} />
          )
        }
      </QueryResult>
      <LoadMore list={list} />
      {asked !== null && (
        <ReasonDialog
          title={`Redeliver to ${asked.target}?`}
          verb="Redeliver"
          onClose={close}
          onConfirm={async (reason) => {
            await redeliver(asked.delivery_id, reason);
            onChanged();
          }}
        >
          <Typography variant="body2">
            Sends the outcome of session {asked.session_id.slice(-6)} again, with the same delivery ID. Failed attempts
            are retried.
          </Typography>
          {asked.state === 'delivered' && (
            <Typography variant="body2">Already delivered. The target may show it twice.</Typography>
          )}
          {known === false && <Typography variant="body2">This target is not configured or incomplete.</Typography>}
        </ReasonDialog>
      )}
    </Section>
  );
}
