/** Parses untrusted Markdown into a tree that is safe to show: no HTML, no images (a URL could leak data). */
import type { Nodes, Root } from 'hast';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { toHast } from 'mdast-util-to-hast';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';

/** GitHub's Markdown without footnotes, which no report has. */
const EXTENSIONS = {
  extensions: [gfmAutolinkLiteral(), gfmStrikethrough(), gfmTable(), gfmTaskListItem()],
  mdastExtensions: [
    gfmAutolinkLiteralFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
  ],
};

const SAFE = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== 'img' && tag !== 'input'),
};

/** Maximum nesting that is shown as Markdown, because rendering makes one nested call for each level. */
const DEEPEST = 100;
/** Text that takes the parser quadratic time: a long run of one delimiter, or a line in a hundred quotes or lists. */
const COSTLY = /([*_~])\1{199}|^[ \t]*(?:(?:>[ \t]?|(?:[-+*]|\d{1,9}[.)])[ \t]+)){100}/m;

/**
 * Maximum number of delimiter runs in one paragraph. The parser takes quadratic time for nested ones: 9 s for 5,000
 * pairs.
 */
const MOST_RUNS = 2000;
const RUN = /\*+|~+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;
/** Where a paragraph ends in every context. An end that counts only in a list, a table or code is ignored. */
const PARAGRAPH_END = /\n(?=[ \t\r]*\n| {0,3}(?:[-+*][ \t]+\S|#{1,6}[ \t]))/;

/** Whether parsing a text may take seconds. */
export function isCostly(text: string): boolean {
  const runs = (paragraph: string): number => paragraph.match(RUN)?.length ?? 0;
  return COSTLY.test(text) || text.split(PARAGRAPH_END).some((paragraph) => runs(paragraph) > MOST_RUNS);
}

/** Tree that shows a text unchanged. */
const plain = (text: string): Root => ({
  type: 'root',
  children: [{ type: 'element', tagName: 'pre', properties: {}, children: [{ type: 'text', value: text }] }],
});

/** Replaces images by their alternative texts, before sanitizing drops them. */
function imagesToText(node: Nodes, depth = 0): void {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  if (!('children' in node)) return;
  for (const child of node.children) {
    if (child.type !== 'element' || child.tagName !== 'img') {
      imagesToText(child, depth + 1);
      continue;
    }
    const { alt } = child.properties;
    const told = typeof alt === 'string' && alt !== '' ? `: ${alt}` : '';
    Object.assign(child, {
      tagName: 'em',
      properties: {},
      children: [{ type: 'text', value: `[image not loaded${told}]` }],
    });
  }
}

/**
 * Returns the sanitized tree of a text. A text that would freeze or crash the page, e.g. by deep nesting, is shown as
 * plain text.
 */
export function markdownTree(text: string): Root {
  if (isCostly(text)) return plain(text);
  try {
    const tree = toHast(fromMarkdown(text, EXTENSIONS));
    imagesToText(tree);
    const safe = sanitize(tree, SAFE);
    return safe.type === 'root' ? safe : plain(text);
  } catch (error) {
    // The parser exhausted its stack, or the tree is nested too deeply.
    if (error instanceof RangeError) return plain(text);
    throw error;
  }
}
