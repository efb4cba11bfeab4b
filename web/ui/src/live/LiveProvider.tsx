import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  use,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import { onAccess } from '../api/access';
import { onUnreachable } from '../api/client';
import { asApiError } from '../api/problem';
import { ANSWER_PIECE } from './growingAnswers';
import type { LiveEvent } from './protocol';
import { serial } from './serial';
import { LiveSocket } from './socket';
import type { LiveState } from './state';

const Context = createContext<LiveSocket | null>(null);

/** Provides the page's socket; refetches everything after a reconnect. */
export function LiveProvider({ children }: { children: ReactNode }): ReactElement {
  const [socket] = useState(() => new LiveSocket());
  const queries = useQueryClient();
  useEffect(() => {
    // Gaps may come faster than responses, so a gap does not cancel the refetch of the one before.
    const refetchAll = serial(async () => queries.invalidateQueries());
    const offGap = socket.onGap(() => {
      void refetchAll();
    });
    const offAccess = onAccess(() => {
      socket.retry();
      void queries.invalidateQueries();
    });
    // After the browser's session has ended, a request is unauthorized. Refetching `me` then opens the sign-in page.
    const offEnd = queries.getQueryCache().subscribe((event) => {
      if (
        event.type !== 'updated' ||
        event.action.type !== 'error' ||
        (event.query.queryKey as readonly unknown[])[0] === 'me'
      )
        return;
      if (asApiError(event.action.error).kind === 'unauthorized' && queries.getQueryState(['me'])?.status === 'success')
        void queries.invalidateQueries({ queryKey: ['me'] });
    });
    const offFailure = onUnreachable(() => {
      socket.noteFailure();
    });
    const online = (): void => {
      socket.retry();
    };
    const offline = (): void => {
      socket.lose();
    };
    const shown = (): void => {
      if (document.visibilityState === 'visible') socket.check();
    };
    window.addEventListener('online', online);
    window.addEventListener('offline', offline);
    document.addEventListener('visibilitychange', shown);
    socket.start();
    return () => {
      offGap();
      offAccess();
      offEnd();
      offFailure();
      window.removeEventListener('online', online);
      window.removeEventListener('offline', offline);
      document.removeEventListener('visibilitychange', shown);
      socket.stop();
    };
  }, [socket, queries]);
  return <Context value={socket}>{children}</Context>;
}

/** Returns the page's socket, to read its state or to reconnect. */
export function useSocket(): LiveSocket {
  const socket = use(Context);
  if (socket === null) throw new Error('useSocket outside LiveProvider');
  return socket;
}

/** Returns a selected part of the connection state. Rerenders only when that part changes, not with each message. */
export function useLiveState<T extends string | number | null>(select: (state: LiveState) => T): T {
  const socket = useSocket();
  return useSyncExternalStore(socket.onState, () => select(socket.state));
}

/** Subscribes to a channel. `handler` gets its events, at most once per `everyMs`. */
export function useLive(channel: string | null, handler: (events: readonly LiveEvent[]) => void, everyMs = 400): void {
  const socket = useSocket();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    if (channel === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pending: LiveEvent[] = [];
    const flush = (): void => {
      timer = undefined;
      if (pending.length === 0) return;
      const events = pending;
      pending = [];
      latest.current(events);
      timer = setTimeout(flush, everyMs);
    };
    const off = socket.onEvents((events) => {
      const own = events.filter(
        (event) => event.type !== ANSWER_PIECE && (event.channel === undefined || event.channel === channel),
      );
      if (own.length === 0) return;
      pending.push(...own);
      if (timer === undefined) flush();
    });
    const leave = socket.listen(channel);
    return () => {
      clearTimeout(timer);
      off();
      leave();
    };
  }, [socket, channel, everyMs]);
}

/** Poll interval: `withoutSocketMs`, or at least 30 s while the socket is live. */
export function usePollMs(withoutSocketMs: number): number {
  const isLive = useLiveState(({ phase }) => phase) === 'live';
  return isLive ? Math.max(30_000, withoutSocketMs) : withoutSocketMs;
}
