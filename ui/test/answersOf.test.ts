import { afterEach, expect, it, vi } from 'vitest';
import { LiveSocket } from '../src/live/socket';

class FakeWebSocket {
  static readonly OPEN = 1;
  static last: FakeWebSocket | undefined;
  readyState = 1;
  onopen: () => void = () => undefined;
  onmessage: (message: { data: string }) => void = () => undefined;
  constructor() { FakeWebSocket.last = this; }
  send(): void { /* Nobody listens. */ }
  close(): void { /* Nothing is open. */ }
}

afterEach(() => { vi.unstubAllGlobals(); });

const piece = (offset: number, text: string): string => JSON.stringify({
  type: 'answer_piece', channel: 'session_a', data: { stage_execution_id: 's', interaction_id: 'i', epoch: 1, attempt: 1, part: 'text', offset, text },
});

it('keeps what came of an answer before anything that shows it is drawn, until the channel is left', async () => {
  vi.stubGlobal('WebSocket', FakeWebSocket);
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 0));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
  const socket = new LiveSocket();
  const leave = socket.listen('session_a');
  socket.start();
  await vi.waitFor(() => { expect(FakeWebSocket.last).toBeDefined(); });
  FakeWebSocket.last?.onopen();
  FakeWebSocket.last?.onmessage({ data: piece(0, 'The claim ') });
  FakeWebSocket.last?.onmessage({ data: piece(10, 'is held.') });
  await vi.waitFor(() => { expect(socket.answersOf('session_a').get('s')?.text).toEqual({ from: 0, text: 'The claim is held.' }); });
  leave();
  expect(socket.answersOf('session_a').size).toBe(0);
  socket.stop();
});
