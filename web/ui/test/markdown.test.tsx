import type { Element, Nodes } from 'hast';
import { createRoot } from 'react-dom/client';
import { act } from 'react';
import { expect, it } from 'vitest';
import { Look } from '../src/theme/Look';
import Markdown from '../src/text/Markdown';
import { isCostly, markdownTree } from '../src/text/markdownTree';
import { outline } from '../src/text/sections';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
// The test's browser has none.
Object.assign(window, {
  matchMedia: () => ({
    matches: false,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }),
});

function render(text: string): HTMLElement {
  const host = document.createElement('div');
  act(() => {
    createRoot(host).render(
      <Look>
        <Markdown text={text} />
      </Look>,
    );
  });
  return host;
}

it('fetches no image and runs no HTML', () => {
  const host = render(
    '![secret](https://evil.example/?q=1) <img src=x onerror=alert(1)> <script>alert(1)</script> [go](javascript:alert(1)) [ok](https://ok.example)',
  );
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
  const text =
    'Lead.\n\n# Top\n```\n# not me\n```\n## **Root** cause {#answer-title}\n- a\n\n  ```\n  # nor me\n  ```\n<h2 id="answer-title" data-line="1">html</h2>\n\n#### Deep';
  const headings = [...render(text).querySelectorAll<HTMLElement>('h3, h4, h5, h6')];
  expect(headings.map((one) => [one.textContent, Number(one.dataset['line'])])).toEqual(
    outline(text).sections.map(({ title, line }) => [title, line]),
  );
  expect(headings.map((one) => one.tagName)).toEqual(['H3', 'H4', 'H6']);
  expect(headings.filter((one) => one.id !== '')).toEqual([]);
});

it('shows as it is what is nested too deeply for a page to draw, and all else as Markdown', () => {
  for (const text of [
    `${'>'.repeat(5000)} x`,
    `${'- '.repeat(2000)}x`,
    `${'*'.repeat(20_000)}x${'*'.repeat(20_000)}`,
    `${'*a '.repeat(500)}${'x* '.repeat(500)}`,
  ]) {
    const host = render(text);
    expect([host.querySelectorAll('pre').length, host.textContent]).toEqual([1, text]);
  }
  expect(render(`${'>'.repeat(50)} x`).querySelectorAll('blockquote').length).toBe(50);
  expect(render('-'.repeat(500)).querySelectorAll('hr').length).toBe(1);
});

it('shows as it is a paragraph of more emphases than a page can draw', () => {
  const nested = (after: string): string => `lead ${`*a${after}`.repeat(10_000)}${'x* '.repeat(10_000)}\n\nend`;
  expect(markdownTree(nested(' ')).children).toMatchObject([{ tagName: 'pre', children: [{ type: 'text' }] }]);
  for (const after of ['\n', '\n|', '\n> ', '\n2. ', '\n    - ', '\n    ```\n', '\n+ \n', '\n<div>\n```\n'])
    expect(isCostly(nested(after))).toBe(true);
  expect(isCostly(nested(' ').replaceAll('*', '_'))).toBe(true);
  const row = '| **a** | b_c_d |\n';
  for (const text of [
    '- **a** b_c_d\n'.repeat(2000),
    `| a | b |\n|---|---|\n${row.repeat(900)}`,
    `\`\`\`\n${'a_b_c(d)\n'.repeat(3000)}\`\`\``,
    '**a** b\n\n'.repeat(2000),
  ])
    expect(isCostly(text)).toBe(false);
});

it('reads whatever is written, and nothing of it runs or is fetched', () => {
  const elements = (node: Nodes): Element[] =>
    'children' in node ? [...(node.type === 'element' ? [node] : []), ...node.children.flatMap(elements)] : [];
  const parts = [
    '> ',
    '- ',
    '1. ',
    '*',
    '**',
    '_',
    '~~',
    '`',
    '```\n',
    '[',
    '](',
    ')',
    '![a](https://evil.example/',
    '<',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:1">',
    '](java&#x73;cript:1)',
    '](\tjavascript:1)',
    '](data:text/html,x)',
    '](vbscript:1)',
    '| a |',
    '|-|\n',
    '\n',
    '    ',
    'a',
    'www.a.b',
    'https://a.b',
    '&lt;',
    '\\',
    '[x]: javascript:1\n',
    '\u0000',
    '\ud800',
  ];
  // Numerical Recipes' generator, from a fixed seed.
  let state = 7;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: next(60) }, () => parts[next(parts.length)]).join('');
    for (const { tagName, properties } of elements(markdownTree(text))) {
      expect(['img', 'script', 'iframe', 'input'], text).not.toContain(tagName);
      expect(
        Object.keys(properties).filter((name) => /^on|^style$|^src/i.test(name)),
        text,
      ).toEqual([]);
      expect(properties.href ?? '', text).not.toMatch(/^\s*(?:javascript|data|vbscript):/i);
    }
  }
});
