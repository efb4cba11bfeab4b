import type { Worker } from '@tarsy/ui';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Workers } from '../src/fleet/Workers';

const worker = (over: Partial<Worker>): Worker => ({
  worker_id: 'w1',
  role: 'stage-worker',
  host: 'node-1',
  pid: 1,
  queues: ['stage:default'],
  slots: 4,
  running: [],
  alive: true,
  answering: true,
  draining: false,
  drain_requested: false,
  heartbeat_age_seconds: 1,
  heartbeat_at_us: 0,
  started_at_us: 0,
  version: '1',
  ...over,
});

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Promise<never>(() => undefined)),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function Listed({ workers }: { workers: Worker[] }): ReactElement {
  const list = useQuery({ queryKey: ['workers'], queryFn: () => workers, initialData: workers });
  return <Workers list={list} onChanged={() => undefined} />;
}

function shown(workers: Worker[]): string {
  const page = document.createElement('div');
  const root = createRoot(page);
  act(() => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter>
          <Listed workers={workers} />
        </MemoryRouter>
      </QueryClientProvider>,
    );
  });
  const text = page.textContent;
  act(() => {
    root.unmount();
  });
  return text;
}

it('says of a worker in trouble what keeps it from claiming', () => {
  const trouble = 'it may open no more files (limit of open files, RLIMIT_NOFILE)';
  const rows = shown([
    worker({ trouble }),
    worker({ worker_id: 'w2' }),
    worker({ worker_id: 'w3', trouble, alive: false }),
  ]);
  expect(rows.match(/in trouble/g)).toHaveLength(1);
  expect(rows).toContain(`in trouble${trouble}`);
  expect(rows).toContain('gone');
});
