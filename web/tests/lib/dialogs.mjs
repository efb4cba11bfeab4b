// Dialogs and other overlays, each by name with the steps that open it.

/**
 * Like `pages`: address, the text that shows that the page is ready, width, height; then the steps that open it.
 *
 * @param {import('./fleet.mjs').Fleet} fleet
 * @param {{ failed: string, running: string, again: string }} ids sessions by what they show
 */
export function dialogs(fleet, { failed, running, again }) {
  const dashboard = (path) => fleet.dashboard(path);
  const row = '[data-testid=session-row]';
  const card = '[data-testid=stage-card]';
  const button = (page, name) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const click =
    (name, shows = '[role=dialog]') =>
    async (page) => {
      await button(page, name).first().click();
      await page.locator(shows).first().waitFor();
    };
  const press = (key) => async (page) => {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
  };
  const reasoned = (open) => async (page) => {
    await open(page);
    await page.getByLabel('Reason').fill('the key was revoked');
  };
  const replay = async (page) => {
    await reasoned(click('Replay'))(page);
    await page.getByLabel('Provider').click();
    await page.getByRole('option', { name: 'repaired' }).click();
    await page.getByRole('checkbox', { name: /later stages/ }).waitFor();
  };
  const select = async (page) => {
    await page
      .getByRole('checkbox', { name: /^Select session/ })
      .first()
      .check();
    await button(page, /^Select all .* matching/).click();
  };
  const dryRun = async (page) => {
    await page.getByRole('combobox', { name: 'Alert type' }).click();
    await page.getByRole('option', { name: 'LooksAndFails' }).click();
    await button(page, 'Dry run').click();
    await page.getByText('Estimate').waitFor();
  };
  const broken = async (page) => {
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('}}');
    await page.locator('.cm-lintRange-error').first().waitFor();
  };
  const views = async (page) => {
    await page.getByTestId('views').click();
    await page.getByRole('menuitem', { name: /^Save current filters/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Critical of the last day');
    await button(page, 'Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByTestId('views').click();
    await page.getByRole('menuitem', { name: /^Critical of/ }).waitFor();
  };
  const called = async (page) => {
    await page.locator('[data-testid=called][data-kind=new]').getByRole('button', { name: 'Result' }).click();
    await page.locator('[data-testid=called] pre').waitFor();
  };
  const wait = async () => undefined;
  const submit = dashboard('/submit');
  const filtered = dashboard('/sessions?severity=critical&range=24h');
  return {
    'dialog-replay': [dashboard(`/sessions/${failed}`), card, 1440, 900, replay],
    'dialog-replay-phone': [
      dashboard(`/sessions/${failed}`),
      card,
      390,
      900,
      async (page) => {
        await button(page, 'More details and actions').click();
        await replay(page);
      },
    ],
    'dialog-cancel': [dashboard(`/sessions/${running}`), card, 1440, 900, click('Cancel')],
    'dialog-cancel-all': [
      dashboard('/sessions?alert_type=TakesLong'),
      row,
      1440,
      900,
      async (page) => {
        await select(page);
        await page.getByTestId('bulk-cancel').click();
        await page.getByTestId('matched').getByText(/match/).waitFor();
      },
    ],
    'dialog-bulk-bar': [dashboard('/sessions'), row, 1440, 900, select],
    'dialog-help': [dashboard(`/sessions/${again}`), card, 1440, 900, press('?')],
    'dialog-palette': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 1440, 900, press('Control+k')],
    'dialog-settings': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 1440, 900, click('Settings')],
    'dialog-pause': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 1440, 900, click('Pause')],
    'dialog-view': [
      filtered,
      row,
      1440,
      900,
      async (page) => {
        await page.getByTestId('views').click();
        await page.getByRole('menuitem', { name: /^Save current filters/ }).click();
        await page.getByRole('dialog').waitFor();
      },
    ],
    'menu-views': [filtered, row, 1440, 900, views],
    'menu-columns': [dashboard('/sessions'), row, 1440, 900, click('Columns', '[role=menu]')],
    'menu-export': [dashboard(`/sessions/${failed}`), card, 1440, 900, click('Export', '[role=menu]')],
    'dry-run': [submit, '.cm-content', 1440, 900, dryRun],
    'dry-run-phone': [submit, '.cm-content', 390, 900, dryRun],
    'submit-mistake': [submit, '.cm-content', 1440, 900, broken],
    'dialog-compare': [dashboard(`/sessions/${again}?compare=1`), '[data-testid=called]', 1440, 900, wait],
    'dialog-compare-call': [dashboard(`/sessions/${again}?compare=1`), '[data-testid=called]', 1440, 1300, called],
    'dialog-compare-text': [dashboard(`/sessions/${again}?compare=2`), '[data-diff=gone]', 1440, 1000, wait],
    'dialog-compare-phone': [dashboard(`/sessions/${again}?compare=2`), '[data-diff=gone]', 390, 900, wait],
    'session-replayed': [
      dashboard(`/sessions/${again}`),
      card,
      1440,
      900,
      click(/Show earlier attempt/, '[data-testid=again]'),
    ],
  };
}
