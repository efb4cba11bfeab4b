import { health, type Health, queues, usePollMs, usePrefs } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { warnings } from './warnings';

// Loaded only when there is something to show.
const BannerLines = lazy(async () => import('./BannerLines'));

/** Health of the service, shared by query key. */
export function useHealth(): ReturnType<typeof useQuery<Health>> {
  const every = usePollMs(15_000);
  return useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => health(signal),
    refetchInterval: Math.min(every, 15_000),
  });
}

/** All queues; undefined without permission. */
function useQueues() {
  const every = usePollMs(15_000);
  return useQuery({
    queryKey: ['queues'],
    queryFn: async ({ signal }) => queues(signal),
    refetchInterval: Math.min(every, 15_000),
    retry: false,
  });
}

/** Banners about the fleet and new versions. */
export function Banner(): ReactElement | null {
  const { data } = useHealth();
  const { data: pools } = useQueues();
  const { zone } = usePrefs();
  const [opened, setOpened] = useState<string | null>(null);
  if (data?.version !== undefined && opened === null) setOpened(data.version);
  const lines = data === undefined ? [] : warnings(data, pools?.queues, zone);
  const changed = opened !== null && data?.version !== undefined && data.version !== opened;
  if (lines.length === 0 && !changed) return null;
  return (
    <Suspense fallback={null}>
      <BannerLines lines={lines} newVersion={changed ? (data.version ?? null) : null} />
    </Suspense>
  );
}
