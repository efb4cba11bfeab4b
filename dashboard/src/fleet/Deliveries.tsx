import { Box, Button, TableCell, TableRow, Typography } from '@mui/material';
import { config, count, deliveries, Empty, ExplainedButton, NoMatch, ReasonDialog, redeliver, Time, ToneChip, useWhyNot, type Delivery, type DeliveryState } from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { answered, deliveryStanding, isDue, lastUs, once, readPage, STATES, targets, type Place, type Target } from './deliveries';
import { DeliveryFilters } from './DeliveryFilters';
import { Answered, Section, SmallTable } from './Section';

function Row({ one, mayNot, onAsk }: { one: Delivery; mayNot: string | null; onAsk: (one: Delivery) => void }): ReactElement {
  const { tone, label, why } = deliveryStanding(one);
  return (
    <TableRow data-testid="delivery">
      <TableCell sx={{ fontWeight: 600 }}>{one.target}</TableCell>
      <TableCell title={why}><ToneChip tone={tone} label={label} /></TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>{one.event}<Link to={`/sessions/${one.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>session {one.session_id.slice(-6)}</Link></TableCell>
      <TableCell align="right">{count(one.attempts)}</TableCell>
      <TableCell sx={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>{answered(one) || '–'}</TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}><Time us={lastUs(one)} /></TableCell>
      <TableCell align="right"><ExplainedButton why={mayNot} variant="outlined" sx={{ whiteSpace: 'nowrap' }} onClick={() => { onAsk(one); }}>Deliver again</ExplainedButton></TableCell>
    </TableRow>
  );
}

/** Why nothing was told so far. */
function Nothing({ to }: { to: Target[] | null }): ReactElement {
  if (to === null) return <Empty title="Nothing to be told yet" />;
  if (to.length === 0) return <Empty title="Nobody is told">No target is configured: sessions end, and whoever does not look here does not hear of it. <code>notifications</code> in the configuration names targets.</Empty>;
  if (to.every((target) => target.lacks !== null)) return <Empty title="Nobody is told">No configured target can be told: see above what is missing.</Empty>;
  return <Empty title="Nothing to be told yet">Targets are told when a session ends.</Empty>;
}

/** The configured targets, and which of them are never told. */
function Targets({ to }: { to: Target[] }): ReactElement {
  return (
    <Box component="ul" aria-label="Configured targets" sx={{ listStyle: 'none', m: 0, px: 2, pb: 1, display: 'flex', columnGap: 2, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center' }}>
      {to.map(({ name, format, events, lacks }) => (
        <Typography key={name} component="li" variant="caption" color="text.secondary" sx={{ display: 'flex', columnGap: 0.75, flexWrap: 'wrap', alignItems: 'center' }}>
          <span><Box component="span" sx={{ color: 'text.primary', fontWeight: 600 }}>{name}</Box> {format}, {events.join(' and ')}</span> {lacks !== null && <ToneChip tone="warn" label={`never told: ${lacks}`} />}
        </Typography>
      ))}
    </Box>
  );
}

/** Who was told when sessions ended, and above all who was not. */
export function Deliveries({ every, onChanged }: { every: number; onChanged: () => void }): ReactElement {
  const [asked, setAsked] = useState<Delivery | null>(null);
  const [state, setState] = useState<DeliveryState | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const mayNot = useWhyNot('operator');
  const to = targets(useQuery({ queryKey: ['config'], queryFn: async ({ signal }) => config(signal), staleTime: 60_000 }).data);
  const list = useInfiniteQuery({
    queryKey: ['deliveries', state, target], queryFn: async ({ pageParam, signal }) => readPage(async (filter) => deliveries(filter, signal), pageParam, target, state),
    initialPageParam: { state: state ?? STATES[0], before: null } as Place, getNextPageParam: (last) => last.next, placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.pages.some((page) => page.deliveries.some(isDue)) === true ? every : 60_000),
  });
  const all = once(list.data?.pages ?? []);
  const undone = list.data?.pages[0]?.counts;
  const isFiltered = state !== null || target !== null;
  const clear = (): void => { setState(null); setTarget(null); };
  const known = to?.some((one) => one.name === asked?.target && one.lacks === null);
  return (
    <Section title="Notifications" id="notifications" note="who is told when a session ends; who was not stands first">
      {undone != null && undone.failed + undone.pending > 0 && (
        <Typography variant="caption" data-testid="undelivered" sx={{ px: 2, pb: 1, display: 'block' }}>{count(undone.failed)} not told, {count(undone.pending)} to be told, or again</Typography>
      )}
      {to !== null && to.length > 0 && <Targets to={to} />}
      {(isFiltered || all.length > 0) && <DeliveryFilters state={state} target={target} names={[...new Set([...(to ?? []).map((one) => one.name), ...all.map((one) => one.target)])]} onState={setState} onTarget={setTarget} />}
      <Answered list={list} what="the notifications">
        {() => (all.length > 0 ? (
          <SmallTable label="Notifications" head={['Target', 'State', 'About', ['Attempts', 'right'], 'Last answer', 'When', '']}>
            {all.map((one) => <Row key={one.delivery_id} one={one} mayNot={mayNot} onAsk={setAsked} />)}
          </SmallTable>
        ) : isFiltered ? <NoMatch onClear={clear}>No notification is in that state, or to that target.</NoMatch> : <Nothing to={to} />)}
      </Answered>
      {list.hasNextPage && <Box sx={{ p: 1, textAlign: 'center' }}><Button onClick={() => { void list.fetchNextPage(); }}>Show more</Button></Box>}
      {asked !== null && (
        <ReasonDialog title={`Tell ${asked.target} again?`} verb="Deliver again" onClose={() => { setAsked(null); }} onConfirm={async (reason) => { await redeliver(asked.delivery_id, reason); onChanged(); }}>
          <Typography variant="body2">It is told once more, now, how session {asked.session_id.slice(-6)} ended, under the id that it was told before. What it does not take is tried again later.</Typography>
          {asked.state === 'delivered' && <Typography variant="body2">It took this already: what it shows people, it may show twice.</Typography>}
          {known === false && <Typography variant="body2">No target of that name can be told as the configuration is now.</Typography>}
        </ReasonDialog>
      )}
    </Section>
  );
}
