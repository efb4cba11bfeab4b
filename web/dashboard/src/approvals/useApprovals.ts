/** Approvals that wait for somebody, kept up to date by events. */
import { approvals, DASHBOARD_CHANNEL, refetcher, useLive, usePollMs, type LiveEvent } from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

/** All queries of approvals begin with it. */
export const APPROVALS = 'approvals';
const OPEN = [APPROVALS, 'open'] as const;

/** Open approvals, the most urgent first: at most 200 of them. */
export function useOpenApprovals() {
  const every = usePollMs(15_000);
  return useQuery({
    queryKey: OPEN,
    queryFn: async ({ signal }) => approvals({ status: 'open', order: 'urgent', limit: 200 }, signal),
    refetchInterval: every,
    retry: false,
  });
}

const isWait = ({ data }: LiveEvent): boolean => data?.type === 'wait_update';

/** Reads approvals again when a stage begins or ends to wait. Used once, by the shell. */
export function useApprovalEvents(): void {
  const queries = useQueryClient();
  const refetch = useMemo(() => refetcher(queries, OPEN), [queries]);
  useLive(DASHBOARD_CHANNEL, (events) => {
    if (!events.some(isWait)) return;
    void refetch();
    void queries.invalidateQueries({ queryKey: [APPROVALS, 'decided'] });
  });
}
