import { createRoot } from 'react-dom/client';
import { act } from 'react';
import { expect, it } from 'vitest';
import { Look } from '../src/theme/Look';
import Markdown from '../src/text/Markdown';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
// The test's browser has none.
Object.assign(window, { matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {} }) });

function render(text: string): HTMLElement {
  const host = document.createElement('div');
  act(() => { createRoot(host).render(<Look><Markdown text={text} /></Look>); });
  return host;
}

it('fetches no image and runs no HTML', () => {
  const host = render('![secret](https://evil.example/?q=1) <img src=x onerror=alert(1)> <script>alert(1)</script> [go](javascript:alert(1)) [ok](https://ok.example)');
  expect(host.querySelectorAll('img, script, iframe').length).toBe(0);
  expect(host.textContent).toContain('[image not loaded: secret]');
  const links = [...host.querySelectorAll('a')];
  expect(links.map((link) => link.getAttribute('href'))).not.toContain('javascript:alert(1)');
  expect(links.at(-1)?.rel).toContain('noopener');
});

it('shows tables and code', () => {
  const host = render('| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nkubectl get ns\n```');
  expect(host.querySelectorAll('td').length).toBe(2);
  expect(host.querySelector('pre')?.textContent).toContain('kubectl get ns');
});
