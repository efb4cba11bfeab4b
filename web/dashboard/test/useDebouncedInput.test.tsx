import { act, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useDebouncedInput } from '../src/app/useDebouncedInput';
import { withoutUnfinished } from '../src/sessions/completion';

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('tells what is meant of a text once the keys pause, and keeps the text', () => {
  const told: string[] = [];
  let field: [string, (text: string) => void] = ['', () => undefined];
  function Probe(): null {
    const [value, setValue] = useState('');
    field = useDebouncedInput(
      value,
      (text) => {
        told.push(text);
        setValue(text);
      },
      300,
      withoutUnfinished,
    );
    return null;
  }
  const root = createRoot(document.createElement('div'));
  act(() => {
    root.render(<Probe />);
  });
  const type = (text: string, pause: number): void => {
    act(() => {
      field[1](text);
    });
    act(() => {
      vi.advanceTimersByTime(pause);
    });
  };
  type('disk', 100);
  expect(told).toEqual([]);
  type('disk sev', 400);
  type('disk severity:', 400);
  type('disk severity:>=', 400);
  expect([told, field[0]]).toEqual([['disk sev', 'disk'], 'disk severity:>=']);
  type('disk severity:>=high', 400);
  expect([told.at(-1), field[0]]).toEqual(['disk severity:>=high', 'disk severity:>=high']);
  act(() => {
    root.unmount();
  });
});
