import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useAddress } from '../src/app/useAddress';

let before = '';
beforeEach(() => {
  before = location.href;
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(() => {
  history.replaceState(null, '', before);
  vi.unstubAllGlobals();
});

type ChangeAddress = ReturnType<typeof useAddress>[1];

/** Runs a task as a page that is drawn once would, and gives back the query after it. */
function after(address: string, task: (change: ChangeAddress) => void): string {
  history.replaceState(null, '', address);
  const root = createRoot(document.createElement('div'));
  let first: ChangeAddress | null = null;
  function Probe(): null {
    const [, change] = useAddress();
    first ??= change;
    return null;
  }
  act(() => {
    root.render(
      <BrowserRouter>
        <Probe />
      </BrowserRouter>,
    );
  });
  act(() => {
    if (first !== null) task(first);
  });
  act(() => {
    root.unmount();
  });
  return location.search;
}

it('keeps the first of two changes that are made before the page is drawn again', () => {
  expect(
    after('/x?keep=1', (change) => {
      change({ tab: 'timeline' });
      change({ event: 'e1' });
    }),
  ).toBe('?keep=1&tab=timeline&event=e1');
  expect(
    after('/x?tab=timeline&event=e1', (change) => {
      change({ tab: null });
      change((now) => {
        now.append('event', 'e2');
        return now;
      });
    }),
  ).toBe('?event=e1&event=e2');
});

it('leaves the address alone once another page has it, though that is not drawn yet', () => {
  const search = after('/sessions?status=failed', (change) => {
    history.pushState(null, '', '/fleet?hours=24');
    change({ status: null });
  });
  expect(location.pathname + search).toBe('/fleet?hours=24');
});
