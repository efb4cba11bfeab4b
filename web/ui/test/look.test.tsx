import { Box } from '@mui/material';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Look } from '../src';

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('prefixes the one property that Safari needs a prefix for', () => {
  const root = createRoot(document.createElement('div'));
  act(() => {
    root.render(
      <Look>
        <Box sx={{ userSelect: 'none', display: 'flex', hyphens: 'auto' }} />
      </Look>,
    );
  });
  const rules = [...document.querySelectorAll('style[data-emotion]')]
    .map((style) => style.textContent)
    .filter((text) => text.includes('hyphens'));
  expect(rules.join('')).toMatch(/-webkit-user-select:none;user-select:none;display:flex;hyphens:auto;/);
  act(() => {
    root.unmount();
  });
});
