import { describe, expect, it } from 'vitest';
import { parseAnsi, stripAnsi } from '../src/text/ansi';
import { maskedCount, maskedKinds } from '../src/text/masked';
import { parseReply } from '../src/text/reactReply';
import { contentText, highlightSegments, preview } from '../src/text/show';
import { visible } from '../src/text/visible';
import {
  formatAbsolute,
  formatDuration,
  formatFull,
  toInputValue,
  isoMicros,
  parseInputValue,
  formatRelative,
  formatUntil,
} from '../src/prefs/time';
import { formatCost, formatCount } from '../src/prefs/format';

describe('a reply', () => {
  it('is taken apart at its headers', () => {
    expect(parseReply('Thought: look\nat it\nAction: a.b\nAction Input: {"x": 1}\n')).toEqual({
      thought: 'look\nat it',
      action: 'a.b',
      actionInput: '{"x": 1}',
      finalAnswer: null,
      rest: null,
    });
  });
  it('keeps a final answer whole, whatever words it uses', () => {
    expect(parseReply('Thought: enough\nFinal Answer: Do this.\nAction: restart').finalAnswer).toBe(
      'Do this.\nAction: restart',
    );
  });
  it('without headers is shown as it is', () => {
    expect(parseReply('# Report\ntext')).toMatchObject({ rest: '# Report\ntext', thought: null });
  });
});

describe('masking', () => {
  it('goes by the record, else by the marks', () => {
    expect(maskedKinds({ token: 3 }, '[MASKED_OTHER]')).toEqual([['token', 3]]);
    expect(maskedKinds(null, 'a [MASKED_KUBERNETES_SECRET] b [MASKED_KUBERNETES_SECRET] [MASKED_JWT]')).toEqual([
      ['kubernetes_secret', 2],
      ['jwt', 1],
    ]);
    expect(maskedCount(maskedKinds(null, 'nothing'))).toBe(0);
  });
});

describe('what can not be seen', () => {
  it('is written out', () => {
    expect(visible('a\u202eb\u200bc\u2066d\ufeffe\u{e0072}f\u3164g\u0007h\u2028i\ue000')).toBe(
      String.raw`a\u{202e}b\u{200b}c\u{2066}d\u{feff}e\u{e0072}f\u{3164}g\u{7}h\u{2028}i\u{e000}`,
    );
  });
  it('leaves lines, tabs, blanks, scripts and emoji alone', () => {
    const text = 'größe\tплатежи\r\n日本語\u00a0\u2009x → y ✓ ⚠️ 👩‍💻';
    expect(visible(text)).toBe(text);
  });
});

describe('texts', () => {
  it('are cut at hits so that odd pieces are hits', () => {
    expect(highlightSegments('Foo foo', 'fOO')).toEqual(['', 'Foo', ' ', 'foo', '']);
  });
  it('are previewed by lines and characters', () => {
    expect(preview('a\nb\nc', 2, 99)).toEqual({ text: 'a\nb', cut: true });
    expect(preview('a\nb', 2, 99).cut).toBe(false);
    expect(preview('x'.repeat(50), 5, 10)).toEqual({ text: 'x'.repeat(10), cut: true });
  });
  it('come out of content parts', () => {
    expect(
      contentText([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ).toBe('a\nb');
  });
});

describe('times', () => {
  const us = 1_795_221_943_023_664;
  it('show in the zone chosen', () => {
    expect(formatAbsolute(us, 'utc')).toBe('2026-11-21 00:45:43 UTC');
    expect(formatAbsolute(us, 'local')).toBe('2026-11-20 21:15:43');
    expect(isoMicros(us)).toBe('2026-11-21T00:45:43.023664Z');
    expect(formatFull(us, 'local')).toBe('2026-11-20 21:15:43 -03:30, 2026-11-21T00:45:43.023664Z');
    expect(formatFull(us, 'utc')).toBe('2026-11-21 00:45:43 UTC, 2026-11-21T00:45:43.023664Z');
  });
  it('stand in a field in the zone that was chosen, and come out of it as they went in', () => {
    expect([toInputValue(us, 'utc'), toInputValue(us, 'local'), toInputValue(null, 'utc')]).toEqual([
      '2026-11-21T00:45',
      '2026-11-20T21:15',
      '',
    ]);
    for (const zone of ['utc', 'local'] as const)
      expect(parseInputValue(toInputValue(us, zone), zone)).toBe(Math.floor(us / 60_000_000) * 60_000_000);
    expect([parseInputValue('', 'utc'), parseInputValue('soon', 'local')]).toEqual([null, null]);
  });
  it('say in how long something follows, rounded up', () => {
    const until = (ms: number): string => formatUntil(us, us / 1000 - ms);
    expect([-1, 0, 1, 40_000, 61_000, 3_600_000].map(until)).toEqual([
      'now',
      'now',
      'in 1 s',
      'in 40 s',
      'in 2 min',
      'in 1 h',
    ]);
  });
  it('tell how long ago; a clock ahead of ours says now', () => {
    expect(formatRelative(us, us / 1000 + 61_000)).toBe('1 min ago');
    expect(formatRelative(us, us / 1000 - 5000)).toBe('now');
  });
  it('tell spans', () => {
    const plain = (ms: number | null): string => formatDuration(ms).replaceAll('\u00a0', ' ');
    expect([0, 999, 1000, 4301, 59_960, 125_000, 3_840_000, null].map(plain)).toEqual([
      '0 ms',
      '999 ms',
      '1.0 s',
      '4.3 s',
      '1 min 00 s',
      '2 min 05 s',
      '1 h 04 min',
      '–',
    ]);
    expect([4301, 125_000, 3_840_000].map(formatDuration).join('')).not.toContain(' ');
    // Of a start and an end in microseconds, as of the whole milliseconds that the API counts.
    expect([63.9, 999.9, 4349.9, 59_949.9, 119_999.9].map(formatDuration)).toEqual(
      [63, 999, 4349, 59_949, 119_999].map(formatDuration),
    );
  });
});

describe('figures', () => {
  it('say when a price is only a bound', () => {
    expect([formatCost(0.001), formatCost(1.2, 'partial'), formatCost(0, 'none'), formatCost(null)]).toEqual([
      '$0.0010',
      '≥ $1.20',
      'no price',
      '–',
    ]);
    expect([formatCount(9999), formatCount(12_340), formatCount(3_100_000)]).toEqual(['9,999', '12.3k', '3.1M']);
  });
});

describe('terminal colours', () => {
  it('become tones, and are out of the way of a search', () => {
    const text =
      '\u001b[1;31mERROR\u001b[0m it \u001b[38;5;31mfailed\u001b[39m\u001b]8;;http://x\u0007 here\u001b[2K\u001b[';
    expect(stripAnsi(text)).toBe('ERROR it failed here');
    expect(parseAnsi(text).map((piece) => [piece.text, piece.bold, piece.tone])).toEqual([
      ['ERROR', true, 'bad'],
      [' it ', false, null],
      ['failed', false, null],
      [' here', false, null],
    ]);
    expect(parseAnsi('no colour')).toHaveLength(1);
  });
});
