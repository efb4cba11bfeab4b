/** Approvals that wait for a decision, kept up to date by events. */
import { approvals, DASHBOARD_CHANNEL, refetcher, useLive, usePollMs, type LiveEvent } from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

/** First part of the key of all approval queries. */
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

/** Refetches approvals when a stage starts or stops waiting. Used once, by the shell. */
export function useApprovalEvents(): void {
  const queries = useQueryClient();
  const refetch = useMemo(() => refetcher(queries, OPEN), [queries]);
  useLive(DASHBOARD_CHANNEL, (events) => {
    if (!events.some(isWait)) return;
    void refetch();
    void queries.invalidateQueries({ queryKey: [APPROVALS, 'decided'] });
  });
}
