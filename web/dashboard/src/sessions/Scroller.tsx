import { styled } from '@mui/material/styles';
import { clamped } from '@tarsy/ui';
import { ROW } from './virtualRows';

/** Height of the header, pixels. */
export const HEADER = 32;

const faint = { fontSize: '0.75rem', color: 'var(--mui-palette-text-secondary)' } as const;
const cut = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

/** Scroll container of the list, with the styles of all its rows. */
export const Scroller = styled('div')(({ theme }) => ({
  flex: 1,
  minHeight: 240,
  overflow: 'auto',
  fontSize: '0.8125rem',
  contain: 'strict',
  // Opaque, so the browser need not redraw the background or content that only moves at each step of a scroll.
  background: 'var(--mui-palette-background-paper)',
  // Below this width the list scrolls sideways, header and rows together.
  '--width': '0px',
  [theme.breakpoints.up('md')]: { '--width': '1000px' },
  '& .head, & .line': {
    display: 'grid',
    gridTemplateColumns: 'var(--tracks)',
    columnGap: theme.spacing(1.5),
    padding: theme.spacing(0, 2),
    minWidth: 'var(--width)',
    borderBottom: '1px solid var(--mui-palette-divider)',
  },
  '& .heads': { position: 'sticky', top: 0, zIndex: 2 },
  '& .head': {
    height: HEADER,
    alignItems: 'center',
    background: 'var(--mui-palette-background-paper)',
    color: 'var(--mui-palette-text-secondary)',
    fontSize: '0.75rem',
    fontWeight: 600,
    whiteSpace: 'nowrap',
  },
  '& .head input': { display: 'block' },
  '& .head .right': { textAlign: 'right' },
  '& .sort': {
    font: 'inherit',
    color: 'inherit',
    background: 'none',
    border: 0,
    padding: '4px 0',
    cursor: 'pointer',
    whiteSpace: 'nowrap',
  },
  '& .sort:hover, & [aria-sort=ascending] .sort, & [aria-sort=descending] .sort': {
    color: 'var(--mui-palette-text-primary)',
  },
  '& .arrow': { display: 'inline-block', width: '1em', textAlign: 'center' },
  '& [aria-sort=none] .sort:not(:hover):not(:focus-visible) .arrow': { visibility: 'hidden' },
  // In right-aligned columns the arrow is before the label, so that the label keeps its place.
  '& .right .sort': { display: 'inline-flex', flexDirection: 'row-reverse' },
  '& .lines': { position: 'relative', minWidth: 'var(--width)', contain: 'layout style' },
  '& .line': {
    position: 'absolute',
    left: 0,
    right: 0,
    height: ROW,
    contain: 'strict',
    cursor: 'pointer',
    fontVariantNumeric: 'tabular-nums',
  },
  '& .line[aria-selected=true]': { background: 'var(--mui-palette-action-selected)' },
  '& .line:hover': { background: 'var(--mui-palette-action-hover)' },
  '& .line[data-cursor=true]': { boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)' },
  // Cells share the first line of a row. The answer takes the two lines below, from its column to the end of the row.
  '& .cell': { minWidth: 0, height: 24, marginTop: 4, display: 'flex', alignItems: 'center' },
  '& .line .right': { justifyContent: 'flex-end' },
  '& input': { width: 15, height: 15, margin: 0, accentColor: 'var(--mui-palette-primary-main)', cursor: 'pointer' },
  '& .two': { width: '100%', minWidth: 0 },
  // One clip for the line, not one for each word: each clip costs as much work as a layer in every frame.
  '& .row': cut,
  '& .row > :not(:first-child)': { marginLeft: 8 },
  '& .stages': { display: 'flex', alignItems: 'center', gap: 8, width: '100%', minWidth: 0 },
  // High enough for a touch target next to another link. Padding on inline text does not move other content.
  '& .name': { fontWeight: 550, color: 'var(--mui-palette-text-primary)', paddingBlock: 4 },
  '& .name:not(:hover)': { textDecoration: 'none' },
  '& .faint': faint,
  '& .cut': { ...faint, ...cut },
  '& .said': {
    ...faint,
    position: 'absolute',
    top: 28,
    left: 'var(--said-left)',
    right: theme.spacing(2),
    lineHeight: '16px',
    ...clamped(2),
    overflowWrap: 'anywhere',
  },
  '& .wrong': { color: 'var(--mui-palette-error-main)' },
  '& .found': { color: 'var(--mui-palette-text-primary)' },
  // As an inline block it is hidden if it does not fit. As text, an empty piece of its border would remain.
  '& .incident': {
    display: 'inline-block',
    fontSize: '0.75rem',
    fontWeight: 600,
    whiteSpace: 'nowrap',
    color: 'inherit',
    border: '1px solid var(--mui-palette-divider)',
    borderRadius: 10,
    padding: '0 6px',
    textDecoration: 'none',
    '&:hover': { background: 'var(--mui-palette-action-hover)' },
  },
  '& .verdict': { fontSize: '0.75rem', fontWeight: 500, whiteSpace: 'nowrap' },
  '& .care': { ...faint, color: 'var(--mui-palette-success-main)' },
  '& .within': {
    fontSize: '0.6875rem',
    padding: '0 5px',
    borderRadius: 4,
    color: 'var(--mui-palette-warning-main)',
    background: 'color-mix(in srgb, var(--mui-palette-warning-main) 12%, transparent)',
  },
}));
