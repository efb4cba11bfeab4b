import { Box } from '@mui/material';
import { deliveries, Time, ToneChip, type SessionDetail } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { lastResponse, byTarget, deliveryStatus, isQueued, lastUs } from '../fleet/deliveries';

/** Notification status of a completed session; empty without deliveries or permission. */
export default function NotificationsCard({
  session,
  children,
}: {
  session: SessionDetail;
  children: (told: ReactElement) => ReactNode;
}): ReactNode {
  const { session_id: id, completed_at_us: ended } = session;
  const { data } = useQuery({
    // The end is part of the key, because a replayed session ends again.
    queryKey: ['deliveries', 'of', id, ended],
    queryFn: async ({ signal }) => (await deliveries({ session_id: id }, signal)).deliveries,
    enabled: ended != null,
    retry: false,
    staleTime: 5000,
    refetchInterval: ({ state }) =>
      state.data?.some(isQueued) === true
        ? 5000
        : state.data?.some((one) => one.state === 'pending') === true
          ? 60_000
          : false,
  });
  const all = byTarget(data ?? []);
  if (ended == null || all.length === 0) return null;
  return children(
    <Box component="span" data-testid="told" sx={{ display: 'grid', gap: 0.25 }}>
      {all.map((one) => {
        const { tone, label, why } = deliveryStatus(one);
        return (
          <Box
            key={one.target}
            component="span"
            title={lastResponse(one) || why}
            sx={{ display: 'flex', columnGap: 1, flexWrap: 'wrap', alignItems: 'center' }}
          >
            {one.target} <ToneChip tone={tone} label={label} /> <Time us={lastUs(one)} />
            {tone !== 'good' && (
              <Link to="/fleet#notifications" style={{ color: 'inherit' }}>
                View in Fleet
              </Link>
            )}
          </Box>
        );
      })}
    </Box>,
  );
}
