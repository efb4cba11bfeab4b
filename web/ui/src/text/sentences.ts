/** Marks the sentences of a text that contain code, so that readers can point at them. */
import type { ElementContent, Root } from 'hast';

/** Elements whose text consists of sentences. */
const HOLDERS = new Set(['p', 'li', 'td']);
const BLOCKS = new Set(['p', 'ul', 'ol', 'pre', 'table', 'blockquote', 'div']);
const END = /(?<=[.!?]\s)(?=["'(\p{Lu}])/u;
const ENDS = /[.!?]\s+$/;

const hasCode = (node: ElementContent): boolean =>
  node.type === 'element' && (node.tagName === 'code' || node.children.some(hasCode));

/** Returns the same nodes, with each sentence that contains code in a `span`. */
function grouped(children: readonly ElementContent[]): ElementContent[] {
  const out: ElementContent[] = [];
  let sentence: ElementContent[] = [];
  const end = (): void => {
    if (sentence.some(hasCode))
      out.push({ type: 'element', tagName: 'span', properties: { className: ['sentence'] }, children: sentence });
    else out.push(...sentence);
    sentence = [];
  };
  for (const child of children) {
    if (child.type === 'element' && BLOCKS.has(child.tagName)) {
      end();
      out.push(child);
    } else if (child.type === 'text') {
      for (const [at, value] of child.value.split(END).entries()) {
        if (at > 0) end();
        sentence.push({ type: 'text', value });
      }
      if (ENDS.test(child.value)) end();
    } else sentence.push(child);
  }
  end();
  return out;
}

/** Wraps the sentences that contain code. Changes the tree in place, so the caller must own it. */
export function withSentences(root: Root): Root {
  const within = (node: Root | ElementContent): void => {
    if (!('children' in node) || (node.type === 'element' && node.tagName === 'pre')) return;
    for (const child of node.children) if (child.type === 'element') within(child);
    if (node.type === 'element' && HOLDERS.has(node.tagName)) node.children = grouped(node.children);
  };
  within(root);
  return root;
}
