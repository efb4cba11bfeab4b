import { LiveProvider, type AskedCall, type Wait } from '@tarsy/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, type ReactElement } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApprovalCard, DecisionDialog, type Asked } from '../src/approvals/ApprovalCard';
import ApprovalsPage from '../src/approvals/ApprovalsPage';
import { ShortcutsProvider } from '../src/keys/ShortcutsProvider';

/** A call whose dangerous part stands far to the right in the raw arguments, and far below in a long script. */
const COMMAND = String.raw`"command": "ls /tmp⟨2600 blanks⟩; \u{202e}rm -rf /"`;
const SHOWN = [
  'shell.run',
  'destructive',
  '{',
  `  ${COMMAND},`,
  ...Array.from({ length: 3000 }, (_, at) => `  "step-${String(at)}": true,`),
  '  "last": "; rm -rf /"',
  '}',
].join('\n');

/** On a busy machine a second may be too short. */
const PATIENCE_MS = 20_000;

const wait = (
  call: AskedCall | null = { server: 'shell', tool: 'run', effect: 'destructive', thought: '', shown: SHOWN },
  more: Partial<Wait> = {},
): Wait => ({
  wait_id: 'w',
  session_id: 's',
  execution_id: 'e',
  stage_index: 0,
  stage_name: 'act',
  chain_id: 'c',
  alert_type: 'Stuck',
  severity: 'warning',
  sort: 'tool_call',
  question: 'Agent `Fixer` asks to call `shell.run`',
  role: 'operator',
  status: 'open',
  asked_at_us: 0,
  expires_at_us: 1,
  call,
  ...more,
});

/** What an API before `shown` sends. */
const OLDER = {
  server: 'shell',
  tool: 'run',
  effect: 'destructive',
  thought: '',
  arguments: { command: 'ls /tmp' },
} as AskedCall;

let root: Root;
let place: HTMLElement;
let resized: () => void;

/** Renders on a page of its own. Answers of the API are those of `answers`, by path; others never come. */
function show(what: ReactElement, answers: Record<string, unknown> = {}): void {
  vi.stubGlobal(
    'fetch',
    vi.fn(async (path: string) => {
      const name = Object.keys(answers).find((part) => path.includes(part));
      return name === undefined ? new Promise<never>(() => undefined) : Promise.resolve(Response.json(answers[name]));
    }),
  );
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Infinity } } });
  act(() => {
    root.render(
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <MemoryRouter>
            <ShortcutsProvider>{what}</ShortcutsProvider>
          </MemoryRouter>
        </LiveProvider>
      </QueryClientProvider>,
    );
  });
}

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);
const pressed = (key: string): void => {
  act(() => {
    window.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
  });
};

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(seen: () => void) {
        resized = seen;
      }
      observe(): void {
        /* by `resized` */
      }
      disconnect(): void {
        /* none */
      }
    },
  );
  Element.prototype.scrollIntoView = () => undefined;
  place = document.body.appendChild(document.createElement('div'));
  root = createRoot(place);
});
afterEach(() => {
  act(() => {
    root.unmount();
  });
  place.remove();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const asking = (asked: Asked): ReactElement => <DecisionDialog asked={asked} onClose={() => undefined} />;

it.each([
  ['card', () => <ApprovalCard wait={wait()} onAsk={() => undefined} />],
  ['dialog', () => asking({ wait: wait(), verdict: 'approve' })],
])('the %s has the whole text of the call, nothing unfolds it', (_, what) => {
  show(what());
  const text = find('[data-testid=whole-call]');
  expect(text?.textContent).toBe(SHOWN);
  expect(document.body.textContent).not.toMatch(/Show all/);
});

it('the text runs from left to right whatever it contains, wraps, and is scrolled by keyboard', () => {
  show(<ApprovalCard wait={wait()} onAsk={() => undefined} />);
  const text = find('[data-testid=whole-call]');
  expect([text?.tagName, text?.dir, text?.tabIndex, text?.getAttribute('aria-label')]).toEqual([
    'PRE',
    'ltr',
    0,
    'whole call of shell.run',
  ]);
  const inner = text?.firstElementChild as HTMLElement;
  expect(inner.style.unicodeBidi).toBe('isolate-override');
  const { whiteSpace, overflowWrap, overflow, maxHeight } = getComputedStyle(text ?? document.body);
  expect([whiteSpace, overflowWrap, overflow]).toEqual(['pre-wrap', 'anywhere', 'auto']);
  expect(maxHeight).not.toBe('');
});

it('says how many lines are below, until they were scrolled to', () => {
  show(<ApprovalCard wait={wait()} onAsk={() => undefined} />);
  const text = find('[data-testid=whole-call]') as HTMLElement;
  expect(find('[data-testid=lines-below]')).toBeNull();
  // Ten lines of 18 px between paddings of 8 px, of which eight are seen.
  const laid = (top: number): void => {
    Object.defineProperties(text, {
      scrollHeight: { value: 196, configurable: true },
      clientHeight: { value: 152, configurable: true },
      scrollTop: { value: top, configurable: true },
    });
    Object.assign(text.style, { lineHeight: '18px', paddingBottom: '8px' });
  };
  laid(0);
  act(() => {
    resized();
  });
  expect(find('[data-testid=lines-below]')?.textContent).toBe('2 more lines below');
  expect(text.getAttribute('aria-describedby')).toBe(find('[data-testid=lines-below]')?.id);
  laid(20);
  act(() => {
    text.dispatchEvent(new Event('scroll'));
  });
  expect(find('[data-testid=lines-below]')?.textContent).toBe('1 more line below');
  laid(44);
  act(() => {
    text.dispatchEvent(new Event('scroll'));
  });
  expect(find('[data-testid=lines-below]')?.textContent).toBe('End of the call');
});

it.each([
  ['card', () => <ApprovalCard wait={wait(undefined, { author: 'mallory' })} onAsk={() => undefined} />],
  ['dialog', () => asking({ wait: wait(undefined, { author: 'mallory' }), verdict: 'approve' })],
])('the %s names agent, target, effect and who started the session', (_, what) => {
  show(what());
  const said = find('[data-testid=call]')?.parentElement?.textContent ?? '';
  expect(said).toContain('Agent Fixer asks to call shell.run');
  expect(said).toMatch(/destructive.*on server shell.*session started by mallory/);
});

it('a call whose text an older API does not send is denied, never approved', () => {
  show(<ApprovalCard wait={wait(OLDER)} onAsk={() => undefined} />);
  expect(find('[data-testid=approve]')).toBeNull();
  expect(find('[data-testid=deny]')).not.toBeNull();
  expect(find('[data-testid=call]')?.textContent).toMatch(/Update the API.*tarsy approvals/);
  expect(document.body.textContent).not.toContain('ls /tmp');
});

it('the dialog of such a call cannot be confirmed either', () => {
  show(asking({ wait: wait(OLDER), verdict: 'approve' }));
  const field = find('[role=dialog] input') as HTMLInputElement;
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'it is announced');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect((find('[data-testid=reason-confirm]') as HTMLButtonElement).disabled).toBe(true);
});

it('by keyboard such a call is denied, never approved; one that is shown whole is approved', async () => {
  const answer = (call: AskedCall) => ({ 'api/v1/approvals': { approvals: [wait(call)], next: null } });
  const opened = async (call: AskedCall, key: string): Promise<string | undefined> => {
    show(<ApprovalsPage key={`${key}${String(call.shown === undefined)}`} />, answer(call));
    await act(async () =>
      vi.waitFor(() => {
        expect(find('[data-testid=approval]')).not.toBeNull();
      }, PATIENCE_MS),
    );
    pressed('j');
    pressed(key);
    return find('[role=dialog] h2')?.textContent;
  };
  expect(await opened(OLDER, 'a')).toBeUndefined();
  expect(await opened(OLDER, 'd')).toBe('Deny?');
  expect(await opened({ ...OLDER, shown: SHOWN }, 'a')).toBe('Approve?');
});

it('a gate without a call is approved as before', () => {
  show(<ApprovalCard wait={wait(null)} onAsk={() => undefined} />);
  expect(find('[data-testid=approve]')).not.toBeNull();
  expect(find('[data-testid=call]')).toBeNull();
});

it('a gate says what it is about, what it rests on, and what follows each answer', () => {
  const gate = wait(null, {
    sort: 'approval',
    object: 'cart-0',
    namespace: 'shop',
    cluster: 'prod-eu-1',
    headline: 'The log fills its volume.',
    evidence: [{ stage_name: 'look', branch_name: null, status: 'completed', conclusion: 'Delete /var/log/old.' }],
    on_approve: { runs: [{ name: 'clean-up', agent: 'Cleaner' }], skips: [], ends: false },
    on_deny: { runs: [{ name: 'report', agent: 'Reporter' }], skips: ['clean-up', 'check'], ends: false },
  });
  show(<ApprovalCard wait={gate} onAsk={() => undefined} />);
  expect(find('[data-testid=wait-target]')?.textContent).toBe('cart-0 in shop, prod-eu-1: The log fills its volume.');
  expect(find('[data-testid=wait-evidence]')?.textContent).toBe('look concludedDelete /var/log/old.');
  expect(find('[data-testid=wait-consequences]')?.textContent).toBe(
    'Approve: clean-up (Cleaner) runs.Deny: clean-up and check are skipped, then report (Reporter) runs.',
  );
});

it('the dialog repeats the target, and what follows the answer that is given', () => {
  show(asking({ wait: wait(undefined, { cluster: 'prod-eu-1' }), verdict: 'deny' }));
  expect(find('[data-testid=wait-target]')?.textContent).toBe('prod-eu-1');
  expect(find('[data-testid=wait-consequences]')?.textContent).toBe(
    'Deny: the call is not made, and the agent goes on with your reason.',
  );
});

it('a gate of an older API has a card without them', () => {
  show(<ApprovalCard wait={wait(null, { sort: 'approval' })} onAsk={() => undefined} />);
  expect([
    find('[data-testid=wait-target]'),
    find('[data-testid=wait-evidence]'),
    find('[data-testid=wait-consequences]'),
  ]).toEqual([null, null, null]);
});

it('the thought before a call hides nothing and keeps the order of its letters', () => {
  const thought = 'Thought: clean\u202e up \u200bthe logs\nAction: shell.run';
  show(
    <ApprovalCard
      wait={wait({ server: 'shell', tool: 'run', effect: 'destructive', thought, shown: SHOWN })}
      onAsk={() => undefined}
    />,
  );
  expect(find('[data-testid=approval]')?.textContent).toContain(String.raw`clean\u{202e} up \u{200b}the logs`);
});
