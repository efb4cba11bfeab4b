import { useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore, type ReactElement, type ReactNode } from 'react';
import { onAccessKey } from '../api/access';
import type { LiveEvent } from './protocol';
import { LiveSocket } from './socket';
import type { LiveState } from './state';

const Context = createContext<LiveSocket | null>(null);

/** Holds the page's one socket; after a break everything shown is read again. */
export function LiveProvider({ children }: { children: ReactNode }): ReactElement {
  const [socket] = useState(() => new LiveSocket());
  const queries = useQueryClient();
  useEffect(() => {
    const offGap = socket.onGap(() => { void queries.invalidateQueries(); });
    const offKey = onAccessKey(() => { socket.retry(); void queries.invalidateQueries(); });
    const online = (): void => { socket.retry(); };
    window.addEventListener('online', online);
    socket.start();
    return () => { offGap(); offKey(); window.removeEventListener('online', online); socket.stop(); };
  }, [socket, queries]);
  return <Context value={socket}>{children}</Context>;
}

/** The socket, for its state and a retry. */
export function useSocket(): LiveSocket {
  const socket = use(Context);
  if (socket === null) throw new Error('useSocket outside LiveProvider');
  return socket;
}

export function useLiveState(): LiveState {
  const socket = useSocket();
  return useSyncExternalStore(socket.onState, () => socket.state);
}

/** Hear a channel; `handler` is called with its events since the last time, at most once per `everyMs`. */
export function useLive(channel: string | null, handler: (events: readonly LiveEvent[]) => void, everyMs = 400): void {
  const socket = useSocket();
  const latest = useRef(handler);
  useEffect(() => { latest.current = handler; });
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
    const off = socket.onEvent((event) => {
      if (event.channel !== undefined && event.channel !== channel) return;
      pending.push(event);
      if (timer === undefined) flush();
    });
    const leave = socket.listen(channel);
    return () => { clearTimeout(timer); off(); leave(); };
  }, [socket, channel, everyMs]);
}

/** How often to ask anyway: often without a socket, rarely with one (the net below it). */
export function usePollMs(withoutSocketMs: number): number {
  const { phase } = useLiveState();
  return phase === 'live' ? Math.max(30_000, withoutSocketMs) : withoutSocketMs;
}
