import { ExplainedButton } from '@tarsy/ui';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';

test('a button keeps its element, and so its focus, when the reason against it goes', () => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const show = (why: string | null): HTMLButtonElement => {
    act(() => {
      root.render(<ExplainedButton why={why}>Ask</ExplainedButton>);
    });
    const button = place.querySelector('button');
    if (button === null) throw new Error('no button');
    return button;
  };
  const before = show('Write a question first.');
  act(() => {
    before.focus();
  });
  const after = show(null);
  expect(after).toBe(before);
  expect(document.activeElement).toBe(after);
  expect([before.getAttribute('aria-disabled'), after.title]).toEqual(['false', '']);
  act(() => {
    root.unmount();
  });
});
