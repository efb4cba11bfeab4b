import { useCallback } from 'react';
import { useHref, useLocation, useSearchParams, type NavigateOptions } from 'react-router-dom';

/** Parameters by name, where null removes one; or what makes new parameters of those of now. */
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
 * Parameters of the address as they were last drawn, and how to change them.
 *
 * A change begins with the address as it is now: the router draws late on a busy machine, and a second change that is
 * made before that would otherwise undo the first. It replaces the address, unless the options say that one can go back.
 * A page that has been left and is still drawn changes nothing: the address is another's already.
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
