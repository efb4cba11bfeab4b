import { Alert, Link } from '@mui/material';
import { health, type Health, queues, usePollMs } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { warnings } from './warnings';

/** Health of the service, shared by query key. */
export function useHealth(): ReturnType<typeof useQuery<Health>> {
  const every = usePollMs(15_000);
  return useQuery({ queryKey: ['health'], queryFn: async ({ signal }) => health(signal), refetchInterval: Math.min(every, 15_000) });
}

/** All queues; undefined without permission. */
function useQueues() {
  const every = usePollMs(15_000);
  return useQuery({ queryKey: ['queues'], queryFn: async ({ signal }) => queues(signal), refetchInterval: Math.min(every, 15_000), retry: false });
}

/** Banners about the fleet and new versions. */
export function Banner(): ReactElement | null {
  const { data } = useHealth();
  const { data: pools } = useQueues();
  const [opened, setOpened] = useState<string | null>(null);
  if (data?.version !== undefined && opened === null) setOpened(data.version);
  const lines = data === undefined ? [] : warnings(data, pools?.queues);
  const changed = opened !== null && data?.version !== undefined && data.version !== opened;
  if (lines.length === 0 && !changed) return null;
  return (
    <div role="region" aria-label="Warnings">
      {lines.map((line) => (
        <Alert key={line.text} severity={line.severe ? 'error' : 'warning'} square sx={{ py: 0 }}>
          {line.text} <Link component={RouterLink} to="/fleet" color="inherit">View fleet</Link>
        </Alert>
      ))}
      {changed && (
        <Alert severity="info" square sx={{ py: 0 }}>
          A new version is available ({data.version}). <Link component="button" color="inherit" onClick={() => { location.reload(); }}>Reload the page</Link>
        </Alert>
      )}
    </div>
  );
}
