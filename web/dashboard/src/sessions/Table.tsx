import { useMediaQuery } from '@mui/material';
import { usePrefs, type SessionLine } from '@tarsy/ui';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  type CSSProperties,
  type MouseEvent,
  type ReactElement,
  type RefObject,
} from 'react';
import { useHref } from 'react-router-dom';
import { COLUMNS, type Column, type Shown } from './columns';
import { freeWords } from './completion';
import { nextSorting, type SortName, type Sorting } from './filters';
import { Scroller } from './Scroller';
import { SessionRow } from './SessionRow';
import { ROW, useVirtualRows } from './virtualRows';

/** Column visibility; columns are visible by default. */
export type Visible = Readonly<Record<string, boolean>>;

/** Space at a row's sides and between columns, in pixels. */
const [PADDING, GAP] = [16, 12];

/** Columns hidden on a phone. */
const NARROW: Visible = {
  severity: false,
  stages: false,
  started_at_us: false,
  completed_at_us: false,
  duration_ms: false,
  tokens: false,
  cost_usd: false,
  chain: false,
  select: false,
};

interface Props {
  rows: readonly SessionLine[];
  search: string;
  sort: Sorting;
  onSort: (next: Sorting) => void;
  selection: ReadonlySet<string>;
  onSelection: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void;
  visible: Visible;
  /** Row of the keyboard cursor; -1: none. */
  cursor: number;
  onOpen: (session: SessionLine) => void;
  onIncident: (id: string) => void;
  onNearEnd: () => void;
  onScrolled: (away: boolean) => void;
  /** Initial scroll position, pixels. */
  startTop: number;
  scroller: RefObject<HTMLDivElement | null>;
}

/** Left offset of the alert column, where the answer begins, in pixels. All columns before it have fixed widths. */
function saidLeft(columns: readonly Column[]): number {
  const before = columns.slice(
    0,
    columns.findIndex(({ id }) => id === 'alert_type'),
  );
  return before.reduce((sum, { track }) => sum + Number.parseInt(track, 10) + GAP, PADDING);
}

/** Returns a copy of a set with the member added or removed. */
export function toggled(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}

/** Header of a sortable column. A press sorts by it, a second one reverses the order, a third restores newest first. */
function SortButton({
  header,
  by,
  sort,
  onSort,
}: {
  header: string;
  by: SortName;
  sort: Sorting;
  onSort: Props['onSort'];
}): ReactElement {
  const on = sort.by === by;
  return (
    <button
      type="button"
      className="sort"
      onClick={() => {
        onSort(nextSorting(sort, by));
      }}
    >
      {header}
      <span aria-hidden className="arrow">
        {on ? (sort.ascending ? '↑' : '↓') : '↕'}
      </span>
    </button>
  );
}

const sortedAs = ({ sort: by }: Column, sort: Sorting): 'ascending' | 'descending' | 'none' | undefined =>
  by === undefined ? undefined : by !== sort.by ? 'none' : sort.ascending ? 'ascending' : 'descending';

type HeadProps = Pick<Props, 'rows' | 'selection' | 'onSelection' | 'sort' | 'onSort'> & { columns: readonly Column[] };

function Head({ columns, rows, selection, onSelection, sort, onSort }: HeadProps): ReactElement {
  const all = selection.size > 0 && rows.every((row) => selection.has(row.session_id));
  return (
    <div role="rowgroup" className="heads">
      <div role="row" className="head">
        {columns.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            aria-sort={sortedAs(column, sort)}
            className={column.right === true ? 'right' : undefined}
          >
            {column.id !== 'select' ? (
              column.sort === undefined ? (
                column.header
              ) : (
                <SortButton header={column.header} by={column.sort} sort={sort} onSort={onSort} />
              )
            ) : (
              <input
                type="checkbox"
                aria-label="Select all loaded sessions"
                checked={all}
                ref={(input) => {
                  if (input !== null) input.indeterminate = selection.size > 0 && !all;
                }}
                onChange={() => {
                  onSelection(() => new Set(all ? [] : rows.map((row) => row.session_id)));
                }}
              />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface LinesProps extends Pick<
  Props,
  'rows' | 'selection' | 'cursor' | 'startTop' | 'scroller' | 'onOpen' | 'onIncident' | 'onNearEnd' | 'onScrolled'
> {
  columns: readonly Column[];
  shown: Shown;
}

/** Rows near the viewport. Only this renders while scrolling. */
function Lines({
  rows,
  selection,
  cursor,
  startTop,
  onOpen,
  onIncident,
  onNearEnd,
  onScrolled,
  columns,
  shown,
  scroller,
}: LinesProps): ReactElement {
  const { first, number, order } = useVirtualRows(scroller, rows.length, startTop, onScrolled);
  // Loads two pages ahead once the user scrolls, so that a page arrives before the user reaches it.
  const isNear = rows.length > 0 && first + number >= rows.length - (first > 0 ? 150 : 30);
  useEffect(() => {
    if (isNear) onNearEnd();
  }, [isNear, rows.length, onNearEnd]);
  // A row with the focus may be reused for another session. Then the focus moves to the list itself.
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (focused.current === null) return;
    const line = document.activeElement?.closest<HTMLElement>('[data-id]');
    if (line == null || line.dataset.id === focused.current) return;
    focused.current = null;
    scroller.current?.focus({ preventScroll: true });
  });
  const clicked = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof Element) || target.closest('input') !== null) return;
    const link = target.closest('a');
    // The browser handles links while a modifier key is held. A click that ends a text selection opens nothing.
    if (
      link !== null
        ? event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
        : getSelection()?.toString() !== ''
    )
      return;
    const session = rows[Number(target.closest('[role=row]')?.getAttribute('aria-rowindex')) - 2];
    if (session === undefined) return;
    event.preventDefault();
    if (link?.dataset.incident === undefined) onOpen(session);
    else onIncident(link.dataset.incident);
  };
  return (
    // The keyboard reaches rows by j, k and Enter, and by their links.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <div
      role="rowgroup"
      className="lines"
      style={{ height: rows.length * ROW }}
      onClick={clicked}
      onFocus={(event) => {
        focused.current = event.target.closest<HTMLElement>('[data-id]')?.dataset.id ?? null;
      }}
      onBlur={() => {
        focused.current = null;
      }}
    >
      {order.map((index) => {
        const session = rows[index];
        // The key is a row's place among the existing rows, so that a row that leaves the view is reused.
        return session === undefined ? null : (
          <SessionRow
            key={index % number}
            session={session}
            index={index}
            selected={selection.has(session.session_id)}
            current={index === cursor}
            columns={columns}
            shown={shown}
          />
        );
      })}
    </div>
  );
}

/** Virtualized table of sessions; all rows have one height. */
export function Table({
  rows,
  search,
  sort,
  onSort,
  selection,
  onSelection,
  visible,
  cursor,
  startTop,
  scroller,
  ...rest
}: Props): ReactElement {
  const narrow = useMediaQuery('(max-width: 700px)');
  const { times } = usePrefs();
  const columns = useMemo(() => {
    const all = COLUMNS.filter(
      (column) => (narrow ? NARROW : visible)[column.id] !== false || (!narrow && column.sort === sort.by),
    );
    // On a phone the status is at the right, where the name leaves room.
    return narrow ? all.toReversed() : all;
  }, [narrow, visible, sort.by]);
  const address = useHref('/sessions/');
  const onToggle = useCallback(
    (id: string) => {
      onSelection((before) => toggled(before, id));
    },
    [onSelection],
  );
  const words = freeWords(search);
  const needle = words.length >= 3 ? words : '';
  const shown = useMemo(
    (): Shown => ({
      needle,
      narrow,
      address,
      query: needle === '' ? '' : `?find=${encodeURIComponent(needle)}`,
      onToggle,
    }),
    [needle, narrow, address, onToggle],
  );
  const start = useRef(startTop);
  // Scrolls only if needed, because this makes the browser lay out the page.
  useLayoutEffect(() => {
    if (start.current > 0) scroller.current?.scrollTo({ top: start.current });
  }, [scroller]);
  const tracks = narrow ? 'minmax(0, 1fr) auto' : columns.map((column) => column.track).join(' ');
  return (
    <Scroller
      ref={scroller}
      role="table"
      aria-label="Sessions"
      data-testid="session-rows"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      style={
        {
          '--tracks': tracks,
          '--said-left': `${String(saidLeft(columns))}px`,
          '--started': times === 'relative' ? '84px' : '156px',
        } as CSSProperties
      }
    >
      <Head columns={columns} rows={rows} selection={selection} onSelection={onSelection} sort={sort} onSort={onSort} />
      <Lines
        rows={rows}
        selection={selection}
        cursor={cursor}
        startTop={startTop}
        columns={columns}
        shown={shown}
        scroller={scroller}
        {...rest}
      />
    </Scroller>
  );
}
