import { health, Loading, StateView } from '@tarsy/ui';
import { Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, type ReactElement } from 'react';
import { mayPass } from './retry';

/** When a tab was last loaded again by itself, in its storage. */
const RELOADED_AT = 'reloaded_at';
/** To load it again does not help twice within this time, milliseconds. */
const ONCE_MS = 60_000;

/** Whether an error is of an import that found no file, as browsers word it. */
export const isOfLostPart = (error: Error): boolean =>
  /dynamically imported module|Importing a module/.test(error.message);

/** In place of a page of which a part did not load, as after an update or while the server is away. It loads the page again once the server answers. */
export function LostPart(): ReactElement {
  const { isPending, failureCount } = useQuery({
    queryKey: ['is_served'],
    queryFn: async ({ signal }) => health(signal),
    // A refusal is an answer too: the page that is loaded again asks to sign in.
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
