import { createRoot } from 'react-dom/client';
import { act } from 'react';
import { expect, it } from 'vitest';
import { Look } from '../src/theme/Look';
import Markdown from '../src/text/Markdown';
import { outline } from '../src/text/sections';

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

it('tells of each heading the line that its outline tells, and takes no id from a model', () => {
  const text = 'Lead.\n\n# Top\n```\n# not me\n```\n## **Root** cause {#answer-title}\n- a\n\n  ```\n  # nor me\n  ```\n<h2 id="answer-title" data-line="1">html</h2>\n\n#### Deep';
  const headings = [...render(text).querySelectorAll<HTMLElement>('h3, h4, h5, h6')];
  expect(headings.map((one) => [one.textContent, Number(one.dataset['line'])])).toEqual(outline(text).sections.map(({ title, line }) => [title, line]));
  expect(headings.map((one) => one.tagName)).toEqual(['H3', 'H4', 'H6']);
  expect(headings.filter((one) => one.id !== '')).toEqual([]);
});
