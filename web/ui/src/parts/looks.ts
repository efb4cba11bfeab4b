/** Styles that many components share. */

/** Box with a border, on the paper background. */
export const CARD = { border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: 'background.paper' } as const;

/** Grid with one column that never grows beyond the available width. */
export const COLUMN = { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)' } as const;

/** List without bullets. */
export const BARE_LIST = { listStyle: 'none', m: 0, p: 0 } as const;

/** Cuts a text after this many lines. */
export const clamped = (lines: number) =>
  ({ display: '-webkit-box', WebkitLineClamp: lines, WebkitBoxOrient: 'vertical', overflow: 'hidden' }) as const;
