import { Box, InputAdornment, TextField, useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import { Faint, formatCount, EmptyState, Loading, onText, recordOf, TipButton, type ReadSession } from '@tarsy/ui';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronUp, Search } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { useDebouncedInput } from '../app/useDebouncedInput';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { EventRow } from './EventRow';
import { RecordTree } from './RecordTree';
import { FOOT, useUnreadTracker } from './unreadTracker';
import { UnreadPill } from './UnreadPill';
import { conversationRows, find } from './rows';
import { useScrollAnchor } from './scrollAnchor';
import { StageDivider } from './StageDivider';

/** Offset below the sticky bars, pixels. */
const BAR = 104;

/** Virtualized conversation of all stages. */
export default function Conversation({ session }: { session: ReadSession }): ReactElement {
  // The virtualizer changes its state internally, so values that the React compiler memoizes would be stale.
  'use no memo';
  const [params, change] = useAddress();
  const rows = useMemo(() => conversationRows(session), [session]);
  const needle = params.get('find') ?? '';
  const hits = useMemo(() => find(rows, needle), [rows, needle]);
  const list = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const focused = useRef<Element | null>(null);
  // Scrolling a row away removes it together with its focus. The next Tab would then continue from before the list.
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (focused.current?.isConnected === false && active === document.body)
      foot.current?.focus({ preventScroll: true });
    focused.current = list.current?.contains(active) === true ? active : null;
  });
  const field = useRef<HTMLInputElement>(null);
  const [offset, setOffset] = useState(0);
  // Measures where the list begins, because content above it may appear late.
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      setOffset((before) => (Math.abs(before - top) > 1 ? top : before));
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => {
      watch.disconnect();
    };
  }, []);
  // Memoized by the rows, because a new function would make the virtualizer lay out all of them again.
  const getItemKey = useCallback((index: number) => rows[index]?.id ?? index, [rows]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => (rows[index]?.kind === 'stage' ? 46 : 120),
    overscan: 5,
    scrollMargin: offset,
    scrollPaddingStart: BAR,
    getItemKey,
  });

  const wanted = params.get('event');
  const target = wanted === null ? -1 : rows.findIndex((row) => row.id === wanted);
  // The current hit: the one that the address points to, until the user moves on from it.
  const asked = `${wanted ?? ''} ${needle}`;
  const [moved, setMoved] = useState<{ asked: string; at: number } | null>(null);
  const at = moved?.asked === asked ? moved.at : Math.max(0, hits.indexOf(target));
  useEffect(() => {
    if (target >= 0) virtual.scrollToIndex(target, { align: 'start' });
  }, [target, virtual]);
  useScrollAnchor(target >= 0 ? wanted : null, !session.whole, () => {
    virtual.scrollToIndex(target, { align: 'start' });
  });
  const go = (by: 1 | -1) => (): void => {
    if (hits.length === 0) return;
    const to = (at + by + hits.length) % hits.length;
    setMoved({ asked, at: to });
    const row = hits[to];
    if (row !== undefined) virtual.scrollToIndex(row, { align: 'start' });
  };
  const search = useCallback(
    (text: string): void => {
      change({ find: text === '' ? null : text });
    },
    [change],
  );
  const [draft, setDraft] = useDebouncedInput(needle, search, 150);
  const running = session.completed_at_us == null;
  const items = virtual.getVirtualItems();
  const end = (virtual.scrollOffset ?? 0) + (virtual.scrollRect?.height ?? 0);
  const reached = items.findLast((item) => item.start < end)?.index ?? -1;
  const { unseen, follows, follow } = useUnreadTracker({
    of: session.session_id,
    place: wanted,
    rows,
    whole: session.whole,
    reached,
    list,
  });
  const watched = running || follows || unseen > 0;
  const hasTree = useMediaQuery((theme: Theme) => theme.breakpoints.up('lg'));
  const top = rows[items.findLast((item) => item.start <= (virtual.scrollOffset ?? 0) + BAR + 1)?.index ?? 0];
  const goTo = (id: string): void => {
    const index = rows.findIndex((row) => row.id === id);
    if (index < 0) return;
    change({ event: id });
    virtual.scrollToIndex(index, { align: 'start' });
  };
  const focusSearch = (): void => {
    field.current?.focus();
  };
  useShortcuts('Conversation', [
    { keys: '/', does: 'search the conversation', run: focusSearch },
    { keys: 'n', does: 'next match', run: go(1) },
    { keys: 'N', does: 'previous match', run: go(-1) },
    { keys: 'G', does: running ? 'jump to the latest event and follow' : 'jump to the last event', run: follow },
  ]);
  const unread = session.whole ? 0 : Math.max(0, session.total_interactions - recordOf(session).length);
  if (rows.length === 0 && !session.whole) return <Loading what="the conversation" />;
  if (rows.length === 0)
    return session.completed_at_us == null ? (
      <EmptyState title="No events yet">The conversation appears when the first stage starts.</EmptyState>
    ) : (
      <EmptyState title="No events">It ended before a stage started.</EmptyState>
    );
  return (
    <>
      <Box
        sx={{
          position: 'sticky',
          top: 46,
          zIndex: 3,
          bgcolor: 'background.paper',
          borderBottom: 1,
          borderColor: 'divider',
          px: 2,
          py: 1,
          display: 'flex',
          gap: 1,
          alignItems: 'center',
        }}
      >
        <TextField
          type="search"
          value={draft}
          inputRef={field}
          placeholder="Search  ( / )"
          sx={{ width: { xs: '60%', md: 360 } }}
          onChange={onText(setDraft)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault();
              go(event.shiftKey ? -1 : 1)();
            }
            // Keeps the search for the keys n and N, where the browser would empty the field.
            if (event.key === 'Escape') {
              event.preventDefault();
              event.stopPropagation();
              (event.target as HTMLElement).blur();
            }
          }}
          slotProps={{
            htmlInput: { 'aria-label': 'Search the conversation' },
            input: {
              startAdornment: (
                <InputAdornment position="start">
                  <Search size={15} />
                </InputAdornment>
              ),
            },
          }}
        />
        {needle !== '' && (
          <>
            <Faint role="status" data-testid="hits">
              {hits.length === 0 ? 'no matches' : `${String(at + 1)} of ${String(hits.length)}`}
              {unread > 0 ? ' so far' : ''}
            </Faint>
            <TipButton tip="Previous (N)" label="Previous match" onClick={go(-1)}>
              <ChevronUp size={16} />
            </TipButton>
            <TipButton tip="Next (n)" label="Next match" onClick={go(1)}>
              <ChevronDown size={16} />
            </TipButton>
          </>
        )}
      </Box>
      {watched && <UnreadPill unseen={unseen} follows={follows} running={running} onFollow={follow} foot={foot} />}
      <Box sx={hasTree ? { display: 'grid', gridTemplateColumns: '240px minmax(0, 1fr)', columnGap: 1 } : undefined}>
        {hasTree && (
          <RecordTree
            session={session}
            here={{ execution: top?.stage.execution_id ?? null, event: top?.id ?? null }}
            onGo={goTo}
          />
        )}
        <Box
          ref={list}
          data-testid="conversation"
          sx={{ position: 'relative' }}
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const marked = item.index === target || hits[at] === item.index;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                style={{
                  position: 'absolute',
                  top: 0,
                  left: 0,
                  right: 0,
                  transform: `translateY(${String(item.start - virtual.options.scrollMargin)}px)`,
                }}
              >
                {row.kind === 'stage' ? (
                  <StageDivider stage={row.stage} stages={session.stages} marked={marked} />
                ) : (
                  <EventRow event={row.event} needle={needle} marked={marked} />
                )}
              </div>
            );
          })}
        </Box>
      </Box>
      {!session.whole && (
        <Faint data-testid="unread" component="p" role="status" sx={{ px: 2, py: 1, m: 0 }}>
          {unread > 0 ? `Loading ${formatCount(unread)} more…` : 'Loading…'}
        </Faint>
      )}
      {watched && <div style={{ height: FOOT }} />}
    </>
  );
}
