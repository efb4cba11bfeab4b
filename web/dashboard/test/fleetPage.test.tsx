import { LiveProvider, type Health, type Metrics } from '@tarsy/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, expect, it, vi } from 'vitest';
import { warnings } from '../src/app/warnings';
import { LastDay } from '../src/fleet/LastDay';

/** On a busy machine a second may be too short. */
const PATIENCE_MS = 20_000;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** What the section says of a day without sessions. */
async function said(): Promise<string> {
  const day: Partial<Metrics> = { total_sessions: 0, failed_sessions: 0, active_sessions: 0, hours: 24, by_hour: [] };
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Promise.resolve(Response.json(day))),
  );
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <LiveProvider>
          <MemoryRouter>
            <LastDay />
          </MemoryRouter>
        </LiveProvider>
      </QueryClientProvider>,
    );
    await Promise.resolve();
  });
  await vi.waitFor(() => {
    expect(place.textContent).toContain('peak hour');
  }, PATIENCE_MS);
  const text = place.textContent;
  act(() => {
    root.unmount();
  });
  place.remove();
  return text;
}

it('a day without sessions has no peak', async () => {
  expect(await said()).toContain('peak hour: 0');
});

it('a server that could not be reached says since when, and when it was last tried', () => {
  const at = (hour: number): number => Date.UTC(2026, 10, 28, hour) * 1000;
  const of = (last_tried_us?: number): Health =>
    ({ services: { mcp: { unreachable: [{ server: 'k8s', since_us: at(6), last_tried_us }] } } }) as unknown as Health;
  expect(warnings(of(at(7)), [], 'utc')[0]?.text).toBe(
    'MCP server k8s could not be reached since 2026-11-28 06:00:00 UTC (last tried 07:00:00). Investigations run without it until a call succeeds.',
  );
  // An older API does not say it.
  expect(warnings(of(), [], 'utc')[0]?.text).toContain('since 2026-11-28 06:00:00 UTC. Investigations');
});
