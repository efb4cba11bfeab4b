import { Box, Button, IconButton, Menu, MenuItem, Tooltip } from '@mui/material';
import { Empty, Failed, Loading, NoMatch, plural, useTitle, type SessionLine } from '@tarsy/ui';
import { Columns3 } from 'lucide-react';
import { useCallback, useMemo, useRef, useState, type ReactElement } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import { useKeys } from '../keys/KeysProvider';
import { BulkBar } from './BulkBar';
import { FacetDrawer, Facets } from './Facets';
import { isFiltered, readFilters, startOf, toQuery, writeFilters, type Filters } from './filters';
import { SavedViews } from './SavedViews';
import { Searching } from './Searching';
import { Table, toggled, type Visible } from './Table';
import { Toolbar } from './Toolbar';
import { useRows } from './useRows';

const OPTIONAL: readonly [string, string][] = [['severity', 'Severity'], ['stages', 'Stages'], ['tokens', 'Tokens'], ['cost_usd', 'Cost'], ['chain', 'Chain']];
const STORED = 'tarsy.columns';
/** The chain is a facet already. */
const DEFAULT: Visible = { chain: false };
const NONE: ReadonlySet<string> = new Set();

function storedColumns(): Visible {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(STORED) ?? '{}') as Visible) };
  } catch {
    return DEFAULT;
  }
}

function ColumnMenu({ visible, onChange }: { visible: Visible; onChange: (next: Visible) => void }): ReactElement {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tooltip title="Columns"><IconButton aria-label="Columns" aria-haspopup="menu" onClick={(event) => { setAnchor(event.currentTarget); }}><Columns3 size={16} /></IconButton></Tooltip>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => { setAnchor(null); }}>
        {OPTIONAL.map(([id, label]) => {
          const on = visible[id] !== false;
          return <MenuItem key={id} role="menuitemcheckbox" aria-checked={on} dense onClick={() => { onChange({ ...visible, [id]: !on }); }}><Box component="span" aria-hidden sx={{ width: '1.5em' }}>{on && '✓'}</Box>{label}</MenuItem>;
        })}
      </Menu>
    </>
  );
}

/** Every session: facets, search, live rows, bulk actions. */
export default function SessionsPage(): ReactElement {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => readFilters(params), [params]);
  const [openedAt] = useState(() => Date.now());
  const startUs = startOf(filters, openedAt);
  const query = useMemo(() => toQuery(filters, startUs), [filters, startUs]);
  const [selection, setSelection] = useState<ReadonlySet<string>>(NONE);
  const [away, setAway] = useState(false);
  const [cursor, setCursor] = useState(-1);
  const [toTop, setToTop] = useState(0);
  const [visible, setVisible] = useState<Visible>(storedColumns);
  const searchRef = useRef<HTMLInputElement>(null);
  const list = useRows(query, away || selection.size > 0);
  const { rows, more } = list;
  const selected = useMemo(() => (selection.size === 0 ? [] : rows.filter((row) => selection.has(row.session_id))), [rows, selection]);

  const change = useCallback((next: Partial<Filters>) => {
    setParams(writeFilters({ ...filters, ...next }), { replace: true });
    setCursor(-1);
  }, [filters, setParams]);
  const open = useCallback((session: SessionLine) => {
    const find = filters.search.trim().length >= 3 ? `?find=${encodeURIComponent(filters.search.trim())}` : '';
    void navigate(`/sessions/${session.session_id}${find}`);
  }, [navigate, filters.search]);
  const current = rows[cursor];
  const clear = (): void => { setSelection(NONE); };
  useKeys('Sessions', [
    { keys: '/', does: 'search', run: () => { searchRef.current?.focus(); } },
    { keys: 'j', does: 'next session', run: () => { setCursor(Math.min(rows.length - 1, cursor + 1)); } },
    { keys: 'k', does: 'previous session', run: () => { setCursor(Math.max(0, cursor - 1)); } },
    { keys: 'ArrowDown', does: 'next session', run: () => { setCursor(Math.min(rows.length - 1, cursor + 1)); } },
    { keys: 'ArrowUp', does: 'previous session', run: () => { setCursor(Math.max(0, cursor - 1)); } },
    { keys: 'Enter', does: 'open session', run: () => { if (current !== undefined) open(current); } },
    { keys: 'x', does: 'select or unselect', run: () => { if (current !== undefined) setSelection((before) => toggled(before, current.session_id)); } },
    { keys: 'Escape', does: 'clear selection, then filters', run: () => { if (selected.length > 0) clear(); else if (isFiltered(filters)) setParams(new URLSearchParams(), { replace: true }); } },
  ]);
  useTitle(list.waiting > 0 ? `(${String(list.waiting)}) Sessions` : 'Sessions');
  const release = (): void => { list.release(); setToTop(toTop + 1); setAway(false); };
  return (
    <Box sx={{ display: 'flex', flex: 1, minHeight: 0, height: 'calc(100dvh - 46px)' }}>
      <h1 className="visually-hidden" style={{ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' }}>Sessions</h1>
      <Facets filters={filters} startUs={startUs} onChange={change} />
      <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column', position: 'relative', bgcolor: 'background.paper' }}>
        <Box sx={{ display: 'flex', '& > :first-of-type': { flex: 1 } }}>
          <Toolbar filters={filters} total={list.total} onChange={change} searchRef={searchRef} />
          <Box sx={{ borderBottom: 1, borderColor: 'divider', display: 'flex', alignItems: 'center', pr: 1 }}>
            <FacetDrawer filters={filters} startUs={startUs} onChange={change} />
            <SavedViews />
            <ColumnMenu visible={visible} onChange={(next) => { setVisible(next); localStorage.setItem(STORED, JSON.stringify(next)); }} />
          </Box>
        </Box>
        <BulkBar selected={selected} query={query} total={list.total} onClear={clear} />
        <Box aria-live="polite">
          {list.waiting > 0 && (
            <Button variant="contained" onClick={release} data-testid="waiting" sx={{ position: 'absolute', top: 96, left: '50%', transform: 'translateX(-50%)', zIndex: 5, borderRadius: 5 }}>
              {plural(list.waiting, 'new session')}
            </Button>
          )}
        </Box>
        {list.loading && list.error == null ? <Loading what="sessions" />
          : rows.length === 0 && list.error != null ? <Failed error={list.error} onRetry={list.retry} />
            : rows.length === 0 && list.hasMore ? <Searching toUs={list.searchedToUs} onMore={more} />
            : rows.length === 0 ? (isFiltered(filters)
              ? <NoMatch onClear={() => { setParams(new URLSearchParams(), { replace: true }); }} />
              : <Empty title="No session yet" action={<Button component={Link} to="/submit" variant="outlined">Submit an alert</Button>}>Sessions appear here as alerts arrive by <code>POST /alerts</code> or a webhook.</Empty>)
              : <Table rows={rows} search={list.stale ? '' : filters.search} selection={selection} onSelection={setSelection} visible={visible} cursor={cursor} onOpen={open} onNearEnd={more} onScrolled={setAway} toTop={toTop} />}
      </Box>
    </Box>
  );
}
