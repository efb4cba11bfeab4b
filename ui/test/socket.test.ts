import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../src/live/protocol';
import { LiveSocket } from '../src/live/socket';

/** The API's end of a socket. */
class Line {
  static readonly OPEN = 1;
  static last: Line;
  readyState = 0;
  said: unknown[] = [];
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;
  onclose?: () => void;
  constructor() { Line.last = this; }
  send(text: string): void { this.said.push(JSON.parse(text)); }
  close(): void { this.onclose?.(); }
  opens(): void { this.readyState = Line.OPEN; this.onopen?.(); }
  says(message: object): void { this.onmessage?.({ data: JSON.stringify(message) }); }
}

beforeEach(() => { vi.stubGlobal('WebSocket', Line); });
afterEach(() => { vi.unstubAllGlobals(); vi.useRealTimers(); });

it('who joins a channel is told to read: what happened between the reading and the joining came as no event', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  const heard: LiveEvent[] = [];
  socket.onEvent((event) => { heard.push(event); });
  socket.listen('session_a');
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  expect(Line.last.said).toEqual([{ type: 'subscribe', channel: 'session_a' }]);
  Line.last.says({ type: 'subscription_response', channel: 'session_a', success: true, last_event_id: 7 });
  expect(heard).toEqual([{ type: 'joined', channel: 'session_a' }]);

  // After a break the channel goes on from there, and its events tell.
  Line.last.close();
  await vi.advanceTimersByTimeAsync(1000);
  Line.last.opens();
  expect(Line.last.said).toEqual([{ type: 'subscribe', channel: 'session_a', last_event_id: 7 }]);
  Line.last.says({ type: 'subscription_response', channel: 'session_a', success: true, last_event_id: 9 });
  expect(heard).toHaveLength(1);
  socket.stop();
});
