import { sessionChannel, sessionQuery, usePollMs, useRefetchOn, type ReadSession, type Turn } from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

export const isDone = ({ status }: Turn): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Returns the session that answers a question: live until it ends, then read once if its record is `wanted`. */
export function useAnswering(turn: Turn, wanted = true): ReadSession | undefined {
  const queries = useQueryClient();
  const every = usePollMs(1500);
  const query = useMemo(() => sessionQuery(queries, turn.session_id), [queries, turn.session_id]);
  const isOver = (session: ReadSession | undefined): boolean => isDone(turn) && session?.completed_at_us != null;
  const { data } = useQuery({
    ...query,
    enabled: wanted || !isDone(turn),
    // A session that was read while it ran is read once more after it has ended.
    refetchInterval: ({ state }) => (isOver(state.data) ? false : every),
  });
  useRefetchOn(isOver(data) ? null : sessionChannel(turn.session_id), query.queryKey, 500);
  return data;
}
