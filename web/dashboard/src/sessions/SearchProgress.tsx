import { Loading, Time } from '@tarsy/ui';
import { useEffect, type ReactElement } from 'react';

/** Progress of a search that has no results yet. Continues the search automatically. */
export function SearchProgress({ toUs, onMore }: { toUs: number | null; onMore: () => void }): ReactElement {
  useEffect(() => {
    onMore();
  });
  return (
    <>
      <Loading what="older sessions" />
      {toUs !== null && (
        <p role="status" style={{ textAlign: 'center' }}>
          No results so far. Searched back to <Time us={toUs} always="absolute" />.
        </p>
      )}
    </>
  );
}
