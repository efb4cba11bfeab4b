import { Box, Button } from '@mui/material';
import { EmptyState, ErrorState, Loading, NoResults, useTitle, usePrefs, type SessionLine } from '@tarsy/ui';
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
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { HiddenTitle } from '../app/HiddenTitle';
import { useAddress } from '../app/useAddress';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { BulkBar } from './BulkBar';
import { ColumnMenu, keepColumns, storedColumns } from './ColumnMenu';
import { FacetDrawer, Facets } from './Facets';
import {
  isFiltered,
  readFilters,
  startOf,
  toListQuery,
  toQuery,
  writeFilters,
  type Filters,
  type Sorting,
} from './filters';
import { isGrouping, keepGrouping } from './grouping';
import { HEADER } from './Scroller';
import { saveListPosition, listPosition } from './listPosition';
import { SavedViews } from './SavedViews';
import { SearchProgress } from './SearchProgress';
import { scrollToRow } from './virtualRows';
import { Table, toggled, type Visible } from './Table';
import { Toolbar } from './Toolbar';
import { totalLabel } from './total';
import { useSessionList } from './useSessionList';

// Loaded only when a search has no results.
const DidYouMean = lazy(async () => import('./DidYouMean'));
const IncidentCard = lazy(async () => import('../incidents/IncidentCard'));

const NONE: ReadonlySet<string> = new Set();

/** Every session: facets, search, live rows, bulk actions. */
export default function SessionsPage(): ReactElement {
  const navigate = useNavigate();
  const [params, changeAddress] = useAddress();
  const filters = useMemo(() => readFilters(params), [params]);
  const [openedAt] = useState(() => Date.now());
  const { zone } = usePrefs();
  const startUs = startOf(filters, openedAt, zone);
  const [grouping, setGrouping] = useState(isGrouping);
  // A filter may match sessions of an incident other than its lead.
  const folds = grouping && !isFiltered(filters);
  const query = useMemo(
    () => ({ ...toQuery(filters, startUs, zone), ...(folds ? { lead: 'true' } : {}) }),
    [filters, startUs, zone, folds],
  );
  const [selection, setSelection] = useState<ReadonlySet<string>>(NONE);
  const [everything, setEverything] = useState(false);
  const { search: address } = useLocation();
  const [left] = useState(() => ({ address, ...listPosition(address) }));
  const [away, setAway] = useState(left.top > 0);
  const [current, setCurrent] = useState(left.current);
  const scroller = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState<Visible>(storedColumns);
  const searchRef = useRef<HTMLInputElement>(null);
  const { sort } = filters;
  const listQuery = useMemo(() => toListQuery(query, sort), [query, sort]);
  // The deferred value renders in slices, so that frames and input are handled during a storm of alerts. Rows and
  // counts are deferred together, so they always match.
  const list = useDeferredValue(useSessionList(listQuery, away || selection.size > 0));
  const { rows, more } = list;
  const total = list.total === null || list.stale ? null : totalLabel(list.total, rows.length);
  const cursor = useMemo(
    () => (current === null ? -1 : rows.findIndex((row) => row.session_id === current)),
    [rows, current],
  );
  useEffect(() => {
    saveListPosition({ path: '/sessions', search: address, current, rows });
  }, [address, current, rows]);
  const selected = useMemo(
    () => (selection.size === 0 ? [] : rows.filter((row) => selection.has(row.session_id))),
    [rows, selection],
  );
  // If all that match are selected, every row is ticked, also later ones. Without the bulk bar, no row is.
  const all = everything && selected.length > 0 ? rows : null;
  const ticked = useMemo(
    () => (all === null ? selection : new Set(all.map((row) => row.session_id))),
    [all, selection],
  );
  const select = useCallback(
    (next: (before: ReadonlySet<string>) => ReadonlySet<string>) => {
      setSelection((before) => next(all === null ? before : new Set(all.map((row) => row.session_id))));
      setEverything(false);
    },
    [all],
  );

  const change = useCallback(
    (next: Partial<Filters>) => {
      changeAddress((now) => writeFilters({ ...readFilters(now), ...next }));
      setCurrent(null);
      setEverything(false);
    },
    [changeAddress],
  );
  // Scrolls to the top, because the old position means nothing in another order.
  const sortBy = useCallback(
    (next: Sorting) => {
      change({ sort: next });
      scroller.current?.scrollTo({ top: 0 });
    },
    [change],
  );
  const open = useCallback(
    (session: SessionLine) => {
      setCurrent(session.session_id);
      saveListPosition({ current: session.session_id, top: scroller.current?.scrollTop ?? 0 });
      const find = filters.search.trim().length >= 3 ? `?find=${encodeURIComponent(filters.search.trim())}` : '';
      void navigate(`/sessions/${session.session_id}${find}`);
    },
    [navigate, filters.search],
  );
  const openIncident = useCallback(
    (id: string) => {
      change({ incident: [id] });
    },
    [change],
  );
  const incidentId = filters.incident.length === 1 ? filters.incident[0] : undefined;
  const marked = rows[cursor];
  const move = (by: number) => (): void => {
    const next = Math.max(0, Math.min(rows.length - 1, cursor + by));
    setCurrent(rows[next]?.session_id ?? null);
    if (scroller.current !== null) scrollToRow(scroller.current, next, HEADER);
  };
  const clear = (): void => {
    setSelection(NONE);
    setEverything(false);
  };
  const clearFilters = (): void => {
    changeAddress(() => new URLSearchParams());
  };
  const search = (): void => {
    searchRef.current?.focus();
  };
  const openMarked = (): void => {
    if (marked !== undefined) open(marked);
  };
  const tickMarked = (): void => {
    if (marked !== undefined) select((before) => toggled(before, marked.session_id));
  };
  const leave = (): void => {
    if (selected.length > 0) clear();
    else if (isFiltered(filters)) clearFilters();
  };
  useShortcuts('Sessions', [
    { keys: '/', does: 'search', run: search },
    { keys: 'j', does: 'next session', run: move(1) },
    { keys: 'k', does: 'previous session', run: move(-1) },
    { keys: 'ArrowDown', does: 'next session', run: move(1) },
    { keys: 'ArrowUp', does: 'previous session', run: move(-1) },
    { keys: 'Enter', does: 'open session', run: openMarked },
    { keys: 'x', does: 'toggle selection', run: tickMarked },
    { keys: 'Escape', does: 'clear selection or filters', run: leave },
  ]);
  const waiting = `${String(list.waiting)}${list.waitingMore ? '+' : ''}`;
  useTitle(list.waiting > 0 ? `(${waiting}) Sessions` : 'Sessions');
  const release = (): void => {
    list.release();
    scroller.current?.scrollTo({ top: 0 });
    setAway(false);
  };
  return (
    <Box sx={{ display: 'flex', flex: 1, minHeight: 0, height: 'calc(100dvh - 46px)' }}>
      <HiddenTitle title="Sessions" />
      <Facets filters={filters} startUs={startUs} total={total} onChange={change} />
      <Box
        sx={{
          flex: 1,
          minWidth: 0,
          display: 'flex',
          flexDirection: 'column',
          position: 'relative',
          bgcolor: 'background.paper',
        }}
      >
        <Box sx={{ display: 'flex', '& > :first-of-type': { flex: 1 } }}>
          <Toolbar filters={filters} total={list.total} loaded={rows.length} onChange={change} searchRef={searchRef} />
          <Box sx={{ borderBottom: 1, borderColor: 'divider', display: 'flex', alignItems: 'start', pt: 1.75, pr: 1 }}>
            <FacetDrawer filters={filters} startUs={startUs} total={total} onChange={change} />
            <SavedViews />
            <ColumnMenu
              visible={visible}
              onChange={(next) => {
                setVisible(next);
                keepColumns(next);
              }}
              sort={sort}
              onSort={sortBy}
              grouping={grouping}
              onGrouping={(next) => {
                setGrouping(next);
                keepGrouping(next);
              }}
            />
          </Box>
        </Box>
        {incidentId !== undefined && (
          <Suspense fallback={null}>
            <IncidentCard id={incidentId} />
          </Suspense>
        )}
        <BulkBar
          selected={selected}
          everything={everything}
          onEverything={setEverything}
          query={query}
          total={list.total}
          loaded={rows.length}
          onClear={clear}
        />
        <Box aria-live="polite">
          {list.waiting > 0 && (
            <Button
              variant="contained"
              onClick={release}
              data-testid="waiting"
              sx={{
                position: 'absolute',
                top: 96,
                left: '50%',
                transform: 'translateX(-50%)',
                zIndex: 5,
                borderRadius: 5,
              }}
            >
              {waiting} new session{waiting === '1' ? '' : 's'}
            </Button>
          )}
        </Box>
        {list.loading && list.error == null ? (
          <Loading what="sessions" />
        ) : rows.length === 0 && list.error != null ? (
          <ErrorState error={list.error} onRetry={list.retry} />
        ) : rows.length === 0 && list.hasMore ? (
          <SearchProgress toUs={list.searchedToUs} onMore={more} />
        ) : rows.length === 0 ? (
          isFiltered(filters) ? (
            <NoResults onClear={clearFilters}>
              No sessions match the current filters.
              <Suspense fallback={null}>
                <DidYouMean
                  search={filters.search}
                  onSearch={(search) => {
                    change({ search });
                  }}
                />
              </Suspense>
            </NoResults>
          ) : (
            <EmptyState
              title="No sessions yet"
              action={
                <Button component={Link} to="/submit" variant="outlined">
                  Submit an alert
                </Button>
              }
            >
              Sessions appear here when alerts arrive through <code>POST /alerts</code> or a webhook.
            </EmptyState>
          )
        ) : (
          <Table
            rows={rows}
            search={list.stale ? '' : filters.search}
            sort={sort}
            onSort={sortBy}
            selection={ticked}
            onSelection={select}
            visible={visible}
            cursor={cursor}
            startTop={address === left.address ? left.top : 0}
            scroller={scroller}
            onOpen={open}
            onIncident={openIncident}
            onNearEnd={more}
            onScrolled={setAway}
          />
        )}
      </Box>
    </Box>
  );
}
