/** Reads untrusted Markdown into a tree that is safe to show: no HTML, no images (a URL could leak data). */
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

/** GitHub's Markdown but for footnotes, which no report has. */
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

/** Deepest nesting that is shown as Markdown: rendering goes down by one call for each level. */
const DEEPEST = 100;
/** What the parser takes quadratic time for: a long run of one delimiter, and a line in a hundred quotes or lists. */
const COSTLY = /([*_~])\1{199}|^[ \t]*(?:(?:>[ \t]?|(?:[-+*]|\d{1,9}[.)])[ \t]+)){100}/m;

/** Most runs of delimiters in one paragraph: the parser takes quadratic time for those that stand in one another, 9 s for 5,000 pairs. */
const MOST_RUNS = 2000;
const RUN = /\*+|~+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;
/** Where a paragraph ends in every context: what ends one only in a list, a table or code counts as its text. */
const PARAGRAPH_END = /\n(?=[ \t\r]*\n| {0,3}(?:[-+*][ \t]+\S|#{1,6}[ \t]))/;

/** Whether the parser would take seconds. */
export function isCostly(text: string): boolean {
  const runs = (paragraph: string): number => paragraph.match(RUN)?.length ?? 0;
  return COSTLY.test(text) || text.split(PARAGRAPH_END).some((paragraph) => runs(paragraph) > MOST_RUNS);
}

/** The text as it is. */
const plain = (text: string): Root => ({
  type: 'root',
  children: [{ type: 'element', tagName: 'pre', properties: {}, children: [{ type: 'text', value: text }] }],
});

/** Images become their alternative texts before sanitising drops them. */
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

/** The sanitized tree of a text. What is nested so deeply that a page would freeze or fail on it is shown as plain text. */
export function markdownTree(text: string): Root {
  if (isCostly(text)) return plain(text);
  try {
    const tree = toHast(fromMarkdown(text, EXTENSIONS));
    imagesToText(tree);
    const safe = sanitize(tree, SAFE);
    return safe.type === 'root' ? safe : plain(text);
  } catch (error) {
    // The parser's own calls are too deep, or the tree is.
    if (error instanceof RangeError) return plain(text);
    throw error;
  }
}
