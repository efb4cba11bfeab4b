import { startTransition, useEffect, useState, type ReactElement, type ReactNode } from 'react';

/**
 * A part that comes after all that is beside it has been shown, with what stands in its place until then. Its code, if
 * that is fetched when it is rendered, is fetched then too. `atOnce`: it comes with the others.
 *
 * Not by the initial value of `useDeferredValue`: React skips that in a tree that comes by a deferred value itself.
 */
export function Late({
  until,
  atOnce = false,
  children,
}: {
  until: ReactNode;
  atOnce?: boolean;
  children: ReactNode;
}): ReactElement {
  const [due, setDue] = useState(atOnce);
  useEffect(() => {
    startTransition(() => {
      setDue(true);
    });
  }, []);
  return <>{due ? children : until}</>;
}
