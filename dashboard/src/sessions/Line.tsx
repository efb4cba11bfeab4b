import { styled } from '@mui/material/styles';
import type { SessionLine } from '@tarsy/ui';
import { flexRender, type Row } from '@tanstack/react-table';
import { memo, type ReactElement } from 'react';

/** Height of a row, pixels. */
export const ROW = 52;

/** What all rows and the header have in common; the tracks and the width stand on the table. */
export const grid = { display: 'grid', gridTemplateColumns: 'var(--tracks)', columnGap: 1.5, alignItems: 'center', px: 2, minWidth: 'var(--width)' } as const;

/** Its styles are made once for all rows. */
const Stripe = styled('div')(({ theme }) => ({
  display: 'grid', gridTemplateColumns: 'var(--tracks)', columnGap: theme.spacing(1.5), alignItems: 'center', padding: theme.spacing(0, 2), minWidth: 'var(--width)',
  position: 'absolute', top: 0, left: 0, right: 0, height: ROW, boxSizing: 'border-box', contain: 'layout style',
  borderBottom: '1px solid var(--mui-palette-divider)', cursor: 'pointer', fontVariantNumeric: 'tabular-nums',
  '&[aria-selected=true]': { background: 'var(--mui-palette-action-selected)' },
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
  '&[data-cursor=true]': { boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)' },
  '& > .cell': { minWidth: 0, display: 'flex', alignItems: 'center' },
  '& > .right': { justifyContent: 'flex-end' },
  '& a.name:not(:hover)': { textDecoration: 'none' },
}));

interface Props {
  row: Row<SessionLine>;
  /** Position in the list, from 0. */
  index: number;
  /** Pixels from the top of the list. */
  start: number;
  selected: boolean;
  /** Whether j and k stand here. */
  current: boolean;
  /** Changes when other columns are shown. */
  columns: string;
  onOpen: (session: SessionLine) => void;
}

/** One row. While the list is scrolled only rows that come into view are made; the others stay as they are. */
export const Line = memo(({ row, index, start, selected, current, onOpen }: Props): ReactElement => (
  <Stripe
    role="row" aria-rowindex={index + 2} aria-selected={selected} data-testid="session-row" data-cursor={current}
    onClick={(event) => {
      const { target } = event;
      if (target instanceof Element && target.closest('a, input, button') === null && getSelection()?.toString() === '') onOpen(row.original);
    }}
    style={{ transform: `translateY(${String(start)}px)` }}
  >
    {row.getVisibleCells().map((cell) => (
      <div key={cell.id} role="cell" className={cell.column.columnDef.meta?.right === true ? 'cell right' : 'cell'}>
        {flexRender(cell.column.columnDef.cell, cell.getContext())}
      </div>
    ))}
  </Stripe>
));
Line.displayName = 'Line';
