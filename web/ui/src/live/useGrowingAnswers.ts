import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { noAnswers, type GrowingAnswers } from './growingAnswers';
import { useSocket } from './LiveProvider';

/** Returns the model answers in progress on a session's channel. Subscribes to it while the component is mounted. */
export function useGrowingAnswers(channel: string | null): GrowingAnswers {
  const socket = useSocket();
  useEffect(() => (channel === null ? undefined : socket.listen(channel)), [socket, channel]);
  const subscribe = useCallback((changed: () => void) => socket.onEvents(changed), [socket]);
  return useSyncExternalStore(subscribe, () => (channel === null ? noAnswers : socket.answersOf(channel)));
}
