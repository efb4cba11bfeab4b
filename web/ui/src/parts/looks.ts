/** Styles that many parts have. */

/** A part with an edge, on the page's paper. */
export const CARD = { border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: 'background.paper' } as const;

/** One column, no wider than there is room for. */
export const COLUMN = { display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)' } as const;

/** A list without marks. */
export const BARE_LIST = { listStyle: 'none', m: 0, p: 0 } as const;

/** Text that is cut after some lines. */
export const clamped = (lines: number) =>
  ({ display: '-webkit-box', WebkitLineClamp: lines, WebkitBoxOrient: 'vertical', overflow: 'hidden' }) as const;
