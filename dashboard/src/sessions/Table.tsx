import { Box, useMediaQuery } from '@mui/material';
import { usePrefs, type SessionLine } from '@tarsy/ui';
import { flexRender, getCoreRowModel, useReactTable, type HeaderGroup, type OnChangeFn, type RowSelectionState, type VisibilityState } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useMemo, useRef, type CSSProperties, type ReactElement } from 'react';
import { columns as makeColumns } from './columns';
import { grid, Line, ROW } from './Line';

/** Narrower than this the table scrolls sideways, header and rows together. */
const WIDTH = { xs: '0px', md: '1000px' } as const;
/** On a phone only these are shown: a list to choose from, not to compare. */
const NARROW: VisibilityState = { severity: false, stages: false, duration_ms: false, tokens: false, cost_usd: false, chain: false, select: false };

interface Props {
  rows: SessionLine[];
  search: string;
  selection: RowSelectionState;
  onSelection: OnChangeFn<RowSelectionState>;
  visible: VisibilityState;
  /** The row that j and k move; -1: none. */
  cursor: number;
  onOpen: (session: SessionLine) => void;
  onNearEnd: () => void;
  onScrolled: (away: boolean) => void;
  /** Rises to ask for the top. */
  toTop: number;
}

interface HeadsProps {
  groups: HeaderGroup<SessionLine>[];
  /** Change what the box that selects all of them shows. */
  rows: readonly unknown[];
  selection: RowSelectionState;
}

/** The header; not made anew while the rows are scrolled. */
const Heads = memo(({ groups }: HeadsProps): ReactElement => (
  <>
    {groups.map((group) => (
      <Box key={group.id} role="rowgroup" sx={{ position: 'sticky', top: 0, zIndex: 2 }}>
        <Box role="row" sx={{ ...grid, height: 32, bgcolor: 'background.paper', borderBottom: 1, borderColor: 'divider', color: 'text.secondary', fontSize: '0.75rem', fontWeight: 600 }}>
          {group.headers.map((header) => <Box key={header.id} role="columnheader" sx={{ textAlign: header.column.columnDef.meta?.right === true ? 'right' : 'left' }}>{flexRender(header.column.columnDef.header, header.getContext())}</Box>)}
        </Box>
      </Box>
    ))}
  </>
));
Heads.displayName = 'Heads';

/** Rows of one height, of which only those in view exist. */
export function Table({ rows, search, selection, onSelection, visible, cursor, onOpen, onNearEnd, onScrolled, toTop }: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 700px)');
  const columns = useMemo(() => makeColumns(search, narrow), [search, narrow]);
  const { times } = usePrefs();
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are called during this render only
  const table = useReactTable({
    data: rows, columns, getCoreRowModel: getCoreRowModel(), getRowId: (row) => row.session_id,
    state: { rowSelection: selection, columnVisibility: narrow ? NARROW : visible }, onRowSelectionChange: onSelection,
  });
  const model = table.getRowModel().rows;
  // The same function while the rows are the same: another would have all of them laid out anew, each frame.
  const getItemKey = useCallback((index: number) => model[index]?.id ?? index, [model]);
  const virtual = useVirtualizer({ count: model.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 12, getItemKey });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => { if (model.length > 0 && last >= model.length - 30) onNearEnd(); }, [last, model.length, onNearEnd]);
  useEffect(() => { if (cursor >= 0) virtual.scrollToIndex(cursor, { align: 'auto' }); }, [cursor, virtual]);
  useEffect(() => { if (toTop > 0) scroller.current?.scrollTo({ top: 0 }); }, [toTop]);
  const tracks = table.getVisibleLeafColumns().map((column) => column.columnDef.meta?.track ?? '1fr').join(' ');
  return (
    <Box
      ref={scroller} role="table" aria-label="Sessions" data-testid="session-rows" aria-rowcount={model.length + 1} tabIndex={0}
      onScroll={(event) => { onScrolled(event.currentTarget.scrollTop > ROW * 2); }}
      style={{ '--tracks': tracks, '--started': times === 'relative' ? '84px' : '156px' } as CSSProperties}
      sx={{ flex: 1, minHeight: 240, overflow: 'auto', fontSize: '0.8125rem', contain: 'strict', '--width': WIDTH }}
    >
      <Heads groups={table.getHeaderGroups()} rows={model} selection={selection} />
      <Box role="rowgroup" sx={{ position: 'relative', minWidth: 'var(--width)' }} style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = model[item.index];
          if (row === undefined) return null;
          return <Line key={item.key} row={row} index={item.index} start={item.start} selected={row.getIsSelected()} current={item.index === cursor} columns={tracks} onOpen={onOpen} />;
        })}
      </Box>
    </Box>
  );
}
