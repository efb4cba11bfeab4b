import { startTransition, useEffect, useState, type ReactElement, type ReactNode } from 'react';

/**
 * Shows `children` only after everything next to them has been shown, and `until` before that. If their code is lazy,
 * it is not fetched earlier either. With `atOnce`, they are shown together with the rest.
 *
 * Does not use the initial value of `useDeferredValue`: React skips it in a tree that itself comes from a deferred
 * value.
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
