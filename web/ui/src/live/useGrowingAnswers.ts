import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { noAnswers, type GrowingAnswers } from './growingAnswers';
import { useSocket } from './LiveProvider';

/** Answers that the models of a session are giving, while its page is open. */
export function useGrowingAnswers(channel: string | null): GrowingAnswers {
  const socket = useSocket();
  useEffect(() => (channel === null ? undefined : socket.listen(channel)), [socket, channel]);
  const subscribe = useCallback((changed: () => void) => socket.onEvents(changed), [socket]);
  return useSyncExternalStore(subscribe, () => (channel === null ? noAnswers : socket.answersOf(channel)));
}
