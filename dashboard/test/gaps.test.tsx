import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { GapList } from '../src/session/GapList';

it('names what was unreachable, refused or failed, and where; nothing if nothing was', () => {
  expect(renderToStaticMarkup(<GapList gaps={[]} />)).toBe('');
  const shown = renderToStaticMarkup(<GapList gaps={[
    { kind: 'unreachable', server: 'kubernetes', tool: null, stage: 'collect', times: 1, error: 'connection refused' },
    { kind: 'refused', server: 'ledger', tool: 'restart', stage: 'act', times: 2, error: null },
  ]} />).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(shown).toMatch(/kubernetes .*unreachable .*in collect ?: connection refused/);
  expect(shown).toMatch(/ledger\.restart .*refused 2 times .*in act/);
});
