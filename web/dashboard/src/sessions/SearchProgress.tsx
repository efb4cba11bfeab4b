import { Loading, Time } from '@tarsy/ui';
import { useEffect, type ReactElement } from 'react';

/** Progress of a search without results so far; continues by itself. */
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
