import { Loading, Time } from '@tarsy/ui';
import { useEffect, type ReactElement } from 'react';

/** Nothing was found yet, and older sessions have not been looked at: looks on by itself. */
export function SearchProgress({ toUs, onMore }: { toUs: number | null; onMore: () => void }): ReactElement {
  useEffect(() => { onMore(); });
  return (
    <>
      <Loading what="older sessions" />
      {toUs !== null && <p role="status" style={{ textAlign: 'center' }}>No results so far. Searched back to <Time us={toUs} always="absolute" />.</p>}
    </>
  );
}
