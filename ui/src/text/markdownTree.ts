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
  mdastExtensions: [gfmAutolinkLiteralFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmTableFromMarkdown(), gfmTaskListItemFromMarkdown()],
};

const SAFE = { ...defaultSchema, tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== 'img' && tag !== 'input') };

/** Images become their alternative texts before sanitising drops them. */
function imagesToText(node: Nodes): void {
  if (!('children' in node)) return;
  for (const child of node.children) {
    if (child.type !== 'element' || child.tagName !== 'img') { imagesToText(child); continue; }
    const { alt } = child.properties;
    const told = typeof alt === 'string' && alt !== '' ? `: ${alt}` : '';
    Object.assign(child, { tagName: 'em', properties: {}, children: [{ type: 'text', value: `[image not loaded${told}]` }] });
  }
}

/** The sanitized tree of a text. */
export function markdownTree(text: string): Root {
  const tree = toHast(fromMarkdown(text, EXTENSIONS));
  imagesToText(tree);
  const safe = sanitize(tree, SAFE);
  return safe.type === 'root' ? safe : { type: 'root', children: [] };
}
