import type { ReadSession } from '@tarsy/ui';
import { act, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withRecord } from '../../ui/src/session/record';
import { mcp, session, stage } from '../../ui/test/fixture';
import { useEvidenceLinks } from '../src/session/evidenceLinks';

const read = (id: string, analysis: string, whole: boolean): ReadSession =>
  withRecord(
    session({ session_id: id, final_analysis: analysis, stages: [stage()] }),
    [mcp('m1', 1, { result: 'db-0 is full' })],
    whole,
  );

/** How often tools told of the name; "-": nothing is offered. */
function Probe({ of }: { of: ReadSession }): ReactElement {
  const seen = useEvidenceLinks(of);
  return <>{seen === null ? '-' : String(seen.times('db-0'))}</>;
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('offers nothing of another session, nor of an analysis that is no more', async () => {
  const page = document.createElement('div');
  const root = createRoot(page);
  const shown = (of: ReadSession): string | null => {
    act(() => {
      root.render(
        <MemoryRouter>
          <Probe of={of} />
        </MemoryRouter>,
      );
    });
    return page.textContent;
  };
  const later = async (): Promise<string | null> => {
    await act(() => vi.runAllTimersAsync());
    return page.textContent;
  };

  expect(shown(read('s1', 'The `db-0`.', true))).toBe('-');
  expect(await later()).toBe('1');
  expect(shown(read('s2', 'The `db-0`.', false)), 'another session, whose record is on its way').toBe('-');
  expect(shown(read('s1', 'The `db-0`.', true))).toBe('1');
  expect(shown(read('s1', 'Replayed: `db-0`.', false)), 'another analysis').toBe('-');
  act(() => {
    root.unmount();
  });
});
