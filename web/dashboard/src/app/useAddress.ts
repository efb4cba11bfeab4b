import { useCallback } from 'react';
import { useHref, useLocation, useSearchParams, type NavigateOptions } from 'react-router-dom';

/** Parameters by name, where null removes one; or a function from the current parameters to new ones. */
export type Change = Readonly<Record<string, string | null>> | ((now: URLSearchParams) => URLSearchParams);

function changed(change: Change): URLSearchParams {
  const params = new URLSearchParams(globalThis.location.search);
  if (typeof change === 'function') return change(params);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  return params;
}

/**
 * Returns the parameters of the address as last rendered, and a function that changes them.
 *
 * A change starts from the current address, not from the rendered one. On a busy machine the router renders late, and a
 * second change made before that would undo the first. A change replaces the history entry unless the options say
 * otherwise. It does nothing on a page that has been left but is still rendered.
 */
export function useAddress(): [params: URLSearchParams, change: (change: Change, options?: NavigateOptions) => void] {
  const [params, setParams] = useSearchParams();
  const { pathname } = useLocation();
  const own = useHref(pathname);
  const change = useCallback(
    (to: Change, options: NavigateOptions = { replace: true }) => {
      if (globalThis.location.pathname === own) setParams(changed(to), options);
    },
    [setParams, own],
  );
  return [params, change];
}
