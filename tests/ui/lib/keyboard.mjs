// What a person does who has a keyboard only.
import assert from 'node:assert/strict';

/** Press keys, one after the other. */
export async function keys(page, ...all) {
  for (const key of all) await page.keyboard.press(key);
}

const holds = async (locator) => (await locator.count()) > 0 && locator.first().evaluate((element) => element === globalThis.document.activeElement);

/** Press a key until something has the focus. */
export async function reach(page, locator, key = 'Tab', most = 250) {
  await locator.first().waitFor();
  for (let presses = 0; !(await holds(locator)); presses += 1) {
    assert.ok(presses < most, `${key} reaches ${locator}`);
    await page.keyboard.press(key);
  }
}

/** Reach something and press a key on it. */
export async function press(page, locator, key = 'Enter') {
  await reach(page, locator);
  await page.keyboard.press(key);
}

/** Choose from a list: opened by its field, or (null) by what was pressed before. */
export async function choose(page, field, name) {
  if (field !== null) await press(page, field);
  const item = page.getByRole(field === null ? 'menuitem' : 'option', { name, exact: typeof name === 'string' }).first();
  await reach(page, item, 'ArrowDown');
  await page.keyboard.press('Enter');
  await item.waitFor({ state: 'detached' });
}

const inDialog = (page) => page.evaluate(() => globalThis.document.activeElement?.closest('[role=dialog]') !== null);

/** Give the reason that a dialog asks for. The dialog keeps the focus meanwhile; closed without it, it gives the focus back to `opener`. */
export async function because(page, opener, reason) {
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    assert.ok(await inDialog(page), 'the dialog keeps the focus');
  }
  if (opener !== null) {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.ok(await holds(opener), 'the focus is where it was before the dialog');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
  }
  await reach(page, dialog.getByLabel('Reason'));
  await page.keyboard.type(reason);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

/**
 * What can be pressed and Tab does not come to. Of a widget whose arrows lead on (tabs, rows of a list) one element is enough;
 * a thing that only looks as if it could be pressed is one too, unless something in it or around it has the focus.
 */
export async function unreachable(page) {
  await page.evaluate(() => { globalThis.reached = new Set(); globalThis.document.activeElement?.blur(); });
  for (let presses = 0; presses < 600; presses += 1) {
    await page.keyboard.press('Tab');
    const around = await page.evaluate(() => {
      const { activeElement: at, body } = globalThis.document;
      if (at === null || at === body) return globalThis.reached.size > 0;
      const before = globalThis.reached.size;
      globalThis.reached.add(at);
      return globalThis.reached.size === before;
    });
    if (around) break;
  }
  return page.evaluate(() => {
    const pressed = 'a[href], button, input, select, textarea, [role=button], [role=combobox], [role=checkbox], [role=link]';
    const reached = [...globalThis.reached];
    // A label is as good as the field in it.
    const near = (element) => reached.some((one) => one.contains(element) || (element.closest('label') ?? element).contains(one));
    const missed = (element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || element.getClientRects().length === 0) return false;
      if (element.disabled || element.closest('[aria-hidden=true]') !== null) return false;
      if (element.matches('[role=tab]')) return !near(element.closest('[role=tablist]'));
      if (element.closest('[role=tab]') !== null) return false;
      if (element.matches(pressed)) return !reached.some((one) => one === element || (one.matches(pressed) && one.contains(element)));
      return globalThis.getComputedStyle(element).cursor === 'pointer' && !near(element);
    };
    return [...globalThis.document.querySelectorAll('body *')].filter(missed)
      .map((element) => `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40) ?? ''}`).slice(0, 10);
  });
}
