import { useState } from 'react';
import { asApiError } from '../api/problem';

/** What a person does to the API: whether it is on its way, and why the last try failed. */
export function useAction(): {
  busy: boolean;
  error: string | null;
  /** Does it; resolves to whether it was done. */
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
