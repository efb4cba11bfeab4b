import { expect, it } from 'vitest';
import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { renderToStaticMarkup } from 'react-dom/server';
import type { ReactElement } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { markdownTree } from '../src/text/markdownTree';
import { withSentences } from '../src/text/sentences';

const rendered = (tree: ReturnType<typeof markdownTree>): string =>
  renderToStaticMarkup(toJsxRuntime(tree, { Fragment, jsx, jsxs }) as ReactElement);
const shown = (markdown: string): string => rendered(withSentences(markdownTree(markdown)));
const sentences = (markdown: string): string[] =>
  [...shown(markdown).matchAll(/<span class="sentence">(.*?)<\/span>/g)].map(([, inner]) =>
    (inner ?? '').replaceAll(/<[^>]+>/g, ''),
  );

it('each sentence that names something can be pointed at, and no other', () => {
  expect(sentences('All is well. The `db-0` of **shop** is full. `db-1` is not.\n\n- Node `n1`: gone\n- none')).toEqual(
    ['The db-0 of shop is full. ', 'db-1 is not.', 'Node n1: gone'],
  );
});
it('no word is changed, and code blocks stay whole', () => {
  const text = 'One `a`. Two.\n\n```\nlet `x`. Y\n```\n\n| `b`. C | d |\n|---|---|\n| `e` | f |';
  const plain = (html: string): string => html.replaceAll(/<[^>]+>/g, '');
  expect(plain(shown(text))).toBe(plain(rendered(markdownTree(text))));
  expect(sentences(text)).toEqual(['One a. ', 'e']);
});
