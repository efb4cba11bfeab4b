import { Box, useMediaQuery } from '@mui/material';
import type { SessionLine } from '@tarsy/ui';
import { flexRender, getCoreRowModel, useReactTable, type OnChangeFn, type RowSelectionState, type VisibilityState } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import { columns as makeColumns } from './columns';

const ROW = 36;
/** Narrower than this the table scrolls sideways, header and rows together. */
const WIDTH = { xs: 0, md: 1000 } as const;
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

/** Rows of one height, of which only those in view exist. */
export function Table({ rows, search, selection, onSelection, visible, cursor, onOpen, onNearEnd, onScrolled, toTop }: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => makeColumns(search), [search]);
  const narrow = useMediaQuery('(max-width: 700px)');
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are called during this render only
  const table = useReactTable({
    data: rows, columns, getCoreRowModel: getCoreRowModel(), getRowId: (row) => row.session_id,
    state: { rowSelection: selection, columnVisibility: narrow ? NARROW : visible }, onRowSelectionChange: onSelection,
  });
  const model = table.getRowModel().rows;
  const virtual = useVirtualizer({ count: model.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 12, getItemKey: (index) => model[index]?.id ?? index });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => { if (model.length > 0 && last >= model.length - 30) onNearEnd(); }, [last, model.length, onNearEnd]);
  useEffect(() => { if (cursor >= 0) virtual.scrollToIndex(cursor, { align: 'auto' }); }, [cursor, virtual]);
  useEffect(() => { if (toTop > 0) scroller.current?.scrollTo({ top: 0 }); }, [toTop]);
  const tracks = table.getVisibleLeafColumns().map((column) => column.columnDef.meta?.track ?? '1fr').join(' ');
  const line = { display: 'grid', gridTemplateColumns: tracks, columnGap: 1.5, alignItems: 'center', px: 2, minWidth: WIDTH } as const;
  return (
    <Box
      ref={scroller} role="table" aria-label="Sessions" data-testid="session-rows" aria-rowcount={model.length + 1} tabIndex={0}
      onScroll={(event) => { onScrolled(event.currentTarget.scrollTop > ROW * 2); }}
      sx={{ flex: 1, minHeight: 240, overflow: 'auto', fontSize: '0.8125rem', contain: 'strict' }}
    >
      {table.getHeaderGroups().map((group) => (
        <Box key={group.id} role="rowgroup" sx={{ position: 'sticky', top: 0, zIndex: 2 }}>
          <Box role="row" sx={{ ...line, height: 32, bgcolor: 'background.paper', borderBottom: 1, borderColor: 'divider', color: 'text.secondary', fontSize: '0.75rem', fontWeight: 600 }}>
            {group.headers.map((header) => <Box key={header.id} role="columnheader" sx={{ textAlign: header.column.columnDef.meta?.right === true ? 'right' : 'left' }}>{flexRender(header.column.columnDef.header, header.getContext())}</Box>)}
          </Box>
        </Box>
      ))}
      <Box role="rowgroup" sx={{ height: virtual.getTotalSize(), position: 'relative', minWidth: WIDTH }}>
        {items.map((item) => {
          const row = model[item.index];
          if (row === undefined) return null;
          const on = row.getIsSelected();
          return (
            <Box
              key={item.key} role="row" aria-rowindex={item.index + 2} aria-selected={on} data-testid="session-row" data-cursor={item.index === cursor}
              onClick={(event) => {
                const { target } = event;
                if (target instanceof Element && target.closest('a, input, button') === null && getSelection()?.toString() === '') onOpen(row.original);
              }}
              sx={{
                ...line, position: 'absolute', top: 0, left: 0, right: 0, height: ROW, transform: `translateY(${String(item.start)}px)`,
                borderBottom: 1, borderColor: 'divider', cursor: 'pointer', fontVariantNumeric: 'tabular-nums',
                bgcolor: on ? 'action.selected' : 'transparent', '&:hover': { bgcolor: 'action.hover' },
                boxShadow: item.index === cursor ? 'inset 3px 0 0 var(--mui-palette-primary-main)' : 'none',
              }}
            >
              {row.getVisibleCells().map((cell) => (
                <Box key={cell.id} role="cell" sx={{ minWidth: 0, display: 'flex', alignItems: 'center', justifyContent: cell.column.columnDef.meta?.right === true ? 'flex-end' : 'flex-start' }}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </Box>
              ))}
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}
