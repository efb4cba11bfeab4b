import type { ChildSession } from '@tarsy/ui';
import { act, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { session } from '../../ui/test/fixture';
import { ChildList, DispatchNote } from '../src/session/ChildList';

const child = (over: Partial<ChildSession>): ChildSession => ({
  session_id: 'c1',
  parent_execution_id: 'e1',
  agent: 'Logs',
  task: 'read the logs',
  status: 'completed',
  outcome: 'completed',
  error_message: null,
  started_at_us: 0,
  completed_at_us: 1,
  cost_usd: null,
  ...over,
});

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function rendered(part: ReactElement): string {
  const page = document.createElement('div');
  const root = createRoot(page);
  act(() => {
    root.render(<MemoryRouter>{part}</MemoryRouter>);
  });
  const shown = page.innerHTML;
  act(() => {
    root.unmount();
  });
  return shown;
}

it('leads from a stage to each of its children and says how they stand', () => {
  const shown = rendered(
    <ChildList
      dispatched={[child({}), child({ session_id: 'c2', agent: 'Metrics', status: 'failed', outcome: 'failed' })]}
    />,
  );
  expect(shown).toContain('href="/sessions/c1"');
  expect(shown).toMatch(/title="read the logs"[^>]*>Logs</);
  expect(shown).toMatch(/href="\/sessions\/c2"[^>]*>Metrics<.*[Ff]ailed/);
  expect(rendered(<ChildList dispatched={[]} />)).toBe('');
});

it('leads from a child to its parent and says its task', () => {
  const note = (over: Parameters<typeof session>[0]): string => rendered(<DispatchNote session={session(over)} />);
  const shown = note({ parent_session_id: 'p-abcdef', task: 'read <the> logs' });
  expect(shown).toContain('href="/sessions/p-abcdef"');
  expect(shown).toContain('session abcdef');
  expect(shown).toContain('read &lt;the&gt; logs');
  // A question has a parent and no task.
  expect(note({ parent_session_id: 'p-abcdef', conversation_id: 'p-abcdef' })).toBe('');
});
