import { conversation, recordOf, type AnswerEvent } from '@tarsy/ui';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { llm, session, stage } from '../../ui/test/fixture';
import { AnswerBody } from '../src/session/AnswerBody';

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('thinking and thought of a model hide nothing', () => {
  const said = llm('1', 0, { thinking: 'safe\u202e!', response_text: 'Thought: clean\u200b up\nAction: shell.run' });
  const record = recordOf(session({ stages: [stage({ chronological_interactions: [said] })] }));
  const event = conversation(record).find((one): one is AnswerEvent => one.kind === 'answer');
  if (event === undefined) throw new Error('no answer');
  const page = document.createElement('div');
  const root = createRoot(page);
  act(() => {
    root.render(<AnswerBody event={event} needle="" />);
  });
  expect(page.textContent).toContain(String.raw`safe\u{202e}!`);
  expect(page.textContent).toContain(String.raw`clean\u{200b} up`);
  act(() => {
    root.unmount();
  });
});
