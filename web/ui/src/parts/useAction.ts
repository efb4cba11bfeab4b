import { useState } from 'react';
import { asApiError } from '../api/problem';

/** Tracks an action of the user on the API: whether it is in progress, and why the last attempt failed. */
export function useAction(): {
  busy: boolean;
  error: string | null;
  /** Runs the action; resolves to whether it succeeded. */
  run: (act: () => Promise<unknown>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    try {
      await act();
      setError(null);
      return true;
    } catch (thrown) {
      setError(asApiError(thrown).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
