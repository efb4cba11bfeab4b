// Reads the full text of a call that needs approval, like a person who must not miss any part.
import assert from 'node:assert/strict';

/**
 * Reads the whole call within `scope`. Checks that nothing is cut off at the side, and that the part below is announced
 * and can be reached by keyboard.
 *
 * @param {import('playwright-core').Locator} scope a card or dialog
 * @returns {Promise<string>} the text
 */
export async function readWholeCall(scope) {
  const call = scope.getByRole('group', { name: /^whole call of/ });
  const note = scope.getByTestId('lines-below');
  await note.getByText(/^\d+ more lines? below$/).waitFor();
  const seen = await call.evaluate((pre) => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    const lines = [...range.getClientRects()];
    const { left, right } = pre.getBoundingClientRect();
    return {
      text: pre.textContent,
      cut: lines.filter((line) => line.left < left || line.right > right).length,
      sideways: pre.scrollWidth - pre.clientWidth,
    };
  });
  assert.equal(seen.cut, 0, 'no line leaves the frame');
  assert.equal(seen.sideways, 0, 'nothing is scrolled sideways');
  await call.focus();
  await call.press('End');
  await note.getByText('End of the call').waitFor();
  return seen.text;
}

/** Returns the order of characters on the screen, from left to right and top to bottom. */
export const drawn = (scope) =>
  scope.getByRole('group', { name: /^whole call of/ }).evaluate((pre) => {
    const places = [];
    const walker = document.createTreeWalker(pre, globalThis.NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (let at = 0; at < node.data.length; at += 1) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { left, top, width } = range.getBoundingClientRect();
        if (width > 0) places.push({ letter: node.data[at], left, top: Math.round(top) });
      }
    }
    return places
      .toSorted((a, b) => a.top - b.top || a.left - b.left)
      .map(({ letter }) => letter)
      .join('');
  });
