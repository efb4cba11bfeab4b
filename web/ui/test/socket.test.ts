import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../src/live/protocol';
import { LiveSocket } from '../src/live/socket';
import type { LiveState } from '../src/live/state';

/** The API's end of a socket. */
class Line {
  static readonly OPEN = 1;
  static last: Line;
  readyState = 0;
  said: unknown[] = [];
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;
  onclose?: () => void;
  constructor() {
    Line.last = this;
  }
  send(text: string): void {
    this.said.push(JSON.parse(text));
  }
  close(): void {
    this.onclose?.();
  }
  opens(): void {
    this.readyState = Line.OPEN;
    this.onopen?.();
  }
  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', Line);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const FRAME_MS = 20;

it('who joins a channel is told to read: what happened between the reading and the joining came as no event', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  const heard: LiveEvent[] = [];
  socket.onEvents((events) => {
    heard.push(...events);
  });
  socket.listen('session_a');
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  expect(Line.last.said).toEqual([{ type: 'subscribe', channel: 'session_a' }]);
  Line.last.says({ type: 'subscription_response', channel: 'session_a', success: true, last_event_id: 7 });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  expect(heard).toEqual([{ type: 'joined', channel: 'session_a' }]);

  // After a break the channel goes on from there, and its events tell.
  Line.last.close();
  await vi.advanceTimersByTimeAsync(1000);
  Line.last.opens();
  expect(Line.last.said).toEqual([{ type: 'subscribe', channel: 'session_a', last_event_id: 7 }]);
  Line.last.says({ type: 'subscription_response', channel: 'session_a', success: true, last_event_id: 9 });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  expect(heard).toHaveLength(1);
  socket.stop();
});

it('delivers the messages of a frame together, and renders once for all of them', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  const batches: number[][] = [];
  const states: LiveState[] = [];
  socket.onEvents((events) => {
    batches.push(events.map(({ id }) => id ?? 0));
  });
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  socket.onState(() => {
    states.push(socket.state);
  });
  for (let id = 1; id <= 500; id += 1) Line.last.says({ type: 'dashboard_update', channel: 'a', id });
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  expect(batches).toEqual([Array.from({ length: 500 }, (_, at) => at + 1)]);
  expect(states.map(({ lastIds }) => lastIds.a)).toEqual([500]);

  // What arrived right before a break is not fetched again.
  Line.last.says({ type: 'dashboard_update', channel: 'a', id: 501 });
  Line.last.close();
  expect(batches.at(-1)).toEqual([501]);
  socket.stop();
});

it('refetches once however many gaps a frame reports', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  let gaps = 0;
  socket.onGap(() => {
    gaps += 1;
  });
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  for (let times = 0; times < 3; times += 1) Line.last.says({ type: 'missed', channel: 'a', from: 1, to: 9 });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  expect(gaps).toBe(1);
  socket.stop();
});

it('keeps what came of an answer before anything that shows it is drawn, until the channel is left', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  const leave = socket.listen('session_a');
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  const piece = { stage_execution_id: 's', interaction_id: 'i', epoch: 1, attempt: 1, part: 'text' };
  Line.last.says({ type: 'answer_piece', channel: 'session_a', data: { ...piece, offset: 0, text: 'The claim ' } });
  Line.last.says({
    type: 'answer_piece',
    channel: 'session_b',
    data: { ...piece, stage_execution_id: 'other', offset: 0, text: 'Not listened to.' },
  });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  Line.last.says({ type: 'answer_piece', channel: 'session_a', data: { ...piece, offset: 10, text: 'is held.' } });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  expect([...socket.answersOf('session_a').values()].map(({ text }) => text)).toEqual([
    { from: 0, text: 'The claim is held.' },
  ]);
  expect(socket.answersOf('session_b').size).toBe(0);
  leave();
  expect(socket.answersOf('session_a').size).toBe(0);
  socket.stop();
});

it('gives up a line that answers no ping for ten seconds, and keeps one whose pings are rare', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  const answering = Line.last;
  // A hidden page: its timers stand still for a minute, then the ping is answered.
  vi.setSystemTime(Date.now() + 60_000);
  await vi.advanceTimersByTimeAsync(3000);
  expect(socket.state.phase).toBe('live');
  answering.says({ type: 'pong' });
  await vi.advanceTimersByTimeAsync(FRAME_MS);
  // Now it falls silent.
  await vi.advanceTimersByTimeAsync(12_000);
  expect(socket.state.phase).toBe('live');
  await vi.advanceTimersByTimeAsync(6000);
  expect(Line.last).not.toBe(answering);
  socket.stop();
});

it('is lost at once when the browser is offline, and tries again by itself', async () => {
  vi.useFakeTimers();
  const socket = new LiveSocket();
  socket.start();
  await vi.advanceTimersByTimeAsync(0);
  Line.last.opens();
  const first = Line.last;
  socket.lose();
  expect(socket.state.phase).toBe('reconnecting');
  await vi.advanceTimersByTimeAsync(1000);
  expect(Line.last).not.toBe(first);
  socket.stop();
});
