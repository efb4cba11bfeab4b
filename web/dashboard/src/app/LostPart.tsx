import { health, Loading, StateView } from '@tarsy/ui';
import { Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, type ReactElement } from 'react';
import { mayPass } from './retry';

/** Key in the tab's storage of the time when the page last reloaded itself. */
const RELOADED_AT = 'reloaded_at';
/** Minimum time between two automatic reloads, in milliseconds: an earlier second one would not help. */
const ONCE_MS = 60_000;

/** Whether an error means that an import did not find its file, by the wordings of browsers. */
export const isOfLostPart = (error: Error): boolean =>
  /dynamically imported module|Importing a module/.test(error.message);

/**
 * Replaces a page with a part that did not load, e.g. after an update or while the server is away. Reloads the page
 * once the server responds.
 */
export function LostPart(): ReactElement {
  const { isPending, failureCount } = useQuery({
    queryKey: ['is_served'],
    queryFn: async ({ signal }) => health(signal),
    // A refusal is a response too: the reloaded page then asks to sign in.
    retry: (_, error) => mayPass(error),
    retryDelay: 1000,
    gcTime: 0,
  });
  useEffect(() => {
    const last = Number(sessionStorage.getItem(RELOADED_AT));
    if (isPending || Date.now() - last < ONCE_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
  }, [isPending]);
  if (isPending && failureCount === 0) return <Loading what="the page" />;
  return (
    <StateView
      role="alert"
      icon={<TriangleAlert size={28} />}
      title={isPending ? 'The server does not answer' : 'A part of this page did not load'}
      action={
        <Button
          variant="outlined"
          onClick={() => {
            location.reload();
          }}
        >
          Reload
        </Button>
      }
    >
      {isPending
        ? 'A part of this page is missing. The page is loaded again as soon as the server answers.'
        : 'The server answers, and the page was loaded again less than a minute ago.'}
    </StateView>
  );
}
