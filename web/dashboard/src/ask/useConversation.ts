import { messages, sessionChannel, usePollMs, useRefetchOn, type Messages } from '@tarsy/ui';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';

/** Returns the questions of a conversation, kept up to date by events. With a null id there is none. */
export function useConversation(id: string | null): UseQueryResult<Messages> & { reload: () => Promise<void> } {
  const every = usePollMs(1500);
  const queryKey = useMemo(() => ['messages', id] as const, [id]);
  const result = useQuery({
    queryKey,
    enabled: id !== null,
    queryFn: async ({ signal }) => messages(id ?? '', signal),
    // Polls also while no question runs, because other users ask as well.
    refetchInterval: ({ state }) => (state.data?.accepts_questions === false ? every : 60_000),
  });
  const last = result.data?.turns.at(-1);
  const isAnswering = result.data?.accepts_questions === false && last !== undefined;
  const reload = useRefetchOn(isAnswering ? sessionChannel(last.session_id) : null, queryKey, 500);
  return { ...result, reload };
}
