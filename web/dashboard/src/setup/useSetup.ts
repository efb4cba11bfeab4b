/** State of the setup, from the API. */
import { listSessions, useConfig, useMe, useUpstreams, type Configuration } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useHealth } from '../app/Banner';
import { setupSteps, type Step } from './steps';

const REFETCH_MS = 15_000;

/** Returns the steps, and the configuration as far as the user's role may read it; null: not loaded yet. */
export function useSetup(): { steps: Step[]; config: Configuration | undefined } | null {
  const health = useHealth().data;
  const me = useMe().data;
  const options = { retry: false, staleTime: REFETCH_MS, refetchInterval: REFETCH_MS } as const;
  const services = useUpstreams(options);
  const settings = useConfig(options);
  const completed = useQuery({
    queryKey: ['setup', 'completed'],
    queryFn: async ({ signal }) => listSessions({ status: ['completed'], page_size: 1 }, signal),
    ...options,
  });
  // Waits for everything, because a step that appears late would push the others down.
  if (health === undefined || services.isPending || settings.isPending || completed.isPending) return null;
  return {
    steps: setupSteps({
      health,
      me,
      upstreams: services.data,
      config: settings.data,
      hasAnswer: completed.data === undefined ? undefined : completed.data.sessions.length > 0,
    }),
    config: settings.data,
  };
}
