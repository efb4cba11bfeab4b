import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerShown, tellAnswerShown } from '../src/session/answerShown';

/** Whether it has resolved by now. */
const over = (wait: Promise<void>): (() => boolean) => {
  let is = false;
  void wait.then(() => {
    is = true;
  });
  return () => is;
};

describe('what comes after a session’s answer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits until a page tells that this answer is in it, everybody who waits', async () => {
    const waits = [over(answerShown('a')), over(answerShown('a'))];
    const other = over(answerShown('b'));
    await vi.advanceTimersByTimeAsync(100);
    expect(waits.map((is) => is())).toEqual([false, false]);
    const gone = tellAnswerShown('a');
    await vi.advanceTimersByTimeAsync(0);
    expect([...waits.map((is) => is()), other()]).toEqual([true, true, false]);
    gone();
  });
  it('does not wait while it is in the page, and waits again when the page was left', async () => {
    const gone = tellAnswerShown('a');
    const at = over(answerShown('a'));
    await vi.advanceTimersByTimeAsync(0);
    gone();
    const later = over(answerShown('a'));
    await vi.advanceTimersByTimeAsync(100);
    expect([at(), later()]).toEqual([true, false]);
  });
  it('does not wait for ever for a page that never shows it', async () => {
    const wait = over(answerShown('a'));
    await vi.advanceTimersByTimeAsync(3000);
    expect(wait()).toBe(true);
  });
});
