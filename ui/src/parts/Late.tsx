import { useDeferredValue, type ReactElement, type ReactNode } from 'react';

/**
 * A part that comes after all that is beside it has been shown, with what stands in its place until then. Its code, if
 * that is fetched when it is rendered, is fetched then too. `atOnce`: it comes with the others.
 */
export function Late({ until, atOnce = false, children }: { until: ReactNode; atOnce?: boolean; children: ReactNode }): ReactElement {
  return <>{useDeferredValue(true, atOnce) ? children : until}</>;
}
