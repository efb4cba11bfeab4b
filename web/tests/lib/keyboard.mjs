// Helpers for tests that use only the keyboard.
import assert from 'node:assert/strict';
import { newPage } from './browser.mjs';

/** Opens pages of a setting, and checks that no pointer is used on them. */
export const openedFor = (own) => async (path, ready) => {
  const { page, context, errors } = await newPage(own.browser);
  await page.addInitScript(() => {
    globalThis.pointed = [];
    for (const kind of ['pointerdown', 'mousedown', 'mousemove', 'wheel', 'touchstart']) {
      globalThis.addEventListener(
        kind,
        ({ clientX, clientY }) => {
          // A headless browser reports to each new page that the pointer is in the corner.
          const rests = kind === 'mousemove' && clientX === 0 && clientY === 0;
          if (!rests) globalThis.pointed.push(kind);
        },
        { capture: true },
      );
    }
  });
  await page.goto(path.startsWith('http') ? path : own.fleet.dashboard(path));
  await page.locator(ready).first().waitFor();
  const close = async () => {
    assert.deepEqual(await page.evaluate(() => globalThis.pointed), [], 'no pointer was used');
    assert.deepEqual(errors, []);
    await context.close();
  };
  return { page, close };
};

/** Presses keys, one after another. */
export async function keys(page, ...all) {
  for (const key of all) await page.keyboard.press(key);
}

const holds = (locator) =>
  locator.evaluateAll((elements) => elements.length > 0 && elements[0] === globalThis.document.activeElement);

/** Presses a key until the element has the focus. */
export async function reach(page, locator, key = 'Tab', most = 250) {
  await locator.first().waitFor();
  for (let presses = 0; !(await holds(locator)); presses += 1) {
    assert.ok(presses < most, `${key} reaches ${locator}`);
    await page.keyboard.press(key);
  }
}

/** Moves the focus to an element and presses a key on it. */
export async function press(page, locator, key = 'Enter') {
  await reach(page, locator);
  await page.keyboard.press(key);
}

/** Chooses an item from a list. The list opens with its field, or is already open (null). */
export async function choose(page, field, name) {
  if (field !== null) await press(page, field);
  const item = page
    .getByRole(field === null ? 'menuitem' : 'option', { name, exact: typeof name === 'string' })
    .first();
  await item.waitFor();
  // A list starts at the selected item, which may be below the wanted one.
  if (field !== null) await page.keyboard.press('Home');
  await reach(page, item, 'ArrowDown');
  await page.keyboard.press('Enter');
  await item.waitFor({ state: 'detached' });
}

/** Returns the copied text once it matches. */
export async function copied(page, fits) {
  await page.waitForFunction(
    async (text) => new RegExp(text).test(await globalThis.navigator.clipboard.readText()),
    fits.source,
  );
  return page.evaluate(() => globalThis.navigator.clipboard.readText());
}

const inDialog = (page) => page.evaluate(() => globalThis.document.activeElement?.closest('[role=dialog]') !== null);

/** Checks that closing a dialog returns the focus to the element that opened it. Then opens it again. */
export async function givesBack(page, opener) {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await holds(opener), 'the focus is where it was before the dialog');
  await page.keyboard.press('Enter');
  await dialog.waitFor();
}

/**
 * Enters the reason that a dialog requires. Checks that the dialog keeps the focus, and returns it to `opener`, if
 * given.
 */
export async function because(page, opener, reason) {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    assert.ok(await inDialog(page), 'the dialog keeps the focus');
  }
  if (opener !== null) await givesBack(page, opener);
  await reach(page, dialog.getByLabel('Reason'));
  await page.keyboard.type(reason);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

/**
 * Returns the clickable elements that Tab does not reach. Of a widget with arrow keys (tabs, rows of a list), one
 * reachable element is enough. An element that only looks clickable counts too, unless an element inside or around it
 * gets the focus.
 */
export async function unreachable(page) {
  await page.evaluate(() => {
    globalThis.reached = new Set();
    globalThis.addEventListener('focusin', ({ target }) => globalThis.reached.add(target), { capture: true });
    globalThis.document.activeElement?.blur();
  });
  const further = async () => {
    for (let presses = 0; presses < 25; presses += 1) await page.keyboard.press('Tab');
  };
  for (let before = -1, now = 0; now > before && now < 600;) {
    before = now;
    await further();
    now = await page.evaluate(() => globalThis.reached.size);
  }
  // Rows that leave the view are created again when they come back. Tab may reach in the next round what it has not
  // reached in this one.
  let missed = await missedOn(page);
  for (let more = 0; missed.length > 0 && more < 4; more += 1) {
    await further();
    missed = await missedOn(page);
  }
  return missed;
}

async function missedOn(page) {
  return page.evaluate(() => {
    const pressed =
      'a[href], button, input, select, textarea, [role=button], [role=combobox], [role=checkbox], [role=link]';
    const reached = [...globalThis.reached];
    // A label counts as the field in it.
    const near = (element) =>
      reached.some((one) => one.contains(element) || (element.closest('label') ?? element).contains(one));
    const missed = (element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.getClientRects().length === 0) return false;
      if (element.disabled || element.closest('[aria-hidden=true]') !== null) return false;
      if (element.matches('[role=tab]')) return !near(element.closest('[role=tablist]'));
      if (element.closest('[role=tab]') !== null) return false;
      if (element.matches(pressed))
        return !reached.some((one) => one === element || (one.matches(pressed) && one.contains(element)));
      return globalThis.getComputedStyle(element).cursor === 'pointer' && !near(element);
    };
    return [...globalThis.document.querySelectorAll('body *')]
      .filter(missed)
      .map(
        (element) =>
          `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40) ?? ''}`,
      )
      .slice(0, 10);
  });
}
