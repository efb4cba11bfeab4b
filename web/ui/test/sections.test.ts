import { describe, expect, it } from 'vitest';
import { linked, outline } from '../src/text/sections';

const titles = (markdown: string): string[] => outline(markdown).sections.map(({ title }) => title);
const confidence = (markdown: string): string | null => outline(markdown).confidence;

describe('sections', () => {
  it('are the headings, each with its level and line', () => {
    expect(
      outline('It was DNS.\r\n\r\n# Top\r## **Root** `cause` ##\n   ### See [this](https://x.example)\n#### C#')
        .sections,
    ).toEqual([
      { title: 'Top', level: 1, line: 3 },
      { title: 'Root cause', level: 2, line: 4 },
      { title: 'See this', level: 3, line: 5 },
      { title: 'C#', level: 4, line: 6 },
    ]);
  });

  it('are none in code, and none of what only looks like one', () => {
    expect(titles('```bash\n# not me\n~~~\n# nor me\n```\n## me')).toEqual(['me']);
    expect(titles('~~~~\n# not me\n~~~\n# nor me\n~~~~\n## me')).toEqual(['me']);
    expect(titles('1. ```\n   # not me\n   ```\n- do\n  ```sh\n  # nor me\n  ```\n## me')).toEqual(['me']);
    expect(titles('```\n- ```\n# not me\n````\n## me')).toEqual(['me']);
    expect(titles('```never closed\n# not me')).toEqual([]);
    expect(titles('```kubectl``` in a line\n## me')).toEqual(['me']);
    expect(titles('#not me\n####### nor me\n    # nor me\n##\n## ##\n')).toEqual([]);
    expect(titles('No heading at all.')).toEqual([]);
  });

  it('are worth links from three on, of the topmost level that has so many', () => {
    const links = (markdown: string): string[] => linked(outline(markdown).sections).map(({ title }) => title);
    expect(links('# T\n## A\n## B')).toEqual([]);
    expect(links('# T\n## A\n### x\n### y\n### z\n## B\n## C')).toEqual(['A', 'B', 'C']);
    expect(links(Array.from({ length: 40 }, (_, n) => `## ${String(n)}`).join('\n'))).toHaveLength(12);
  });
});

describe('confidence', () => {
  it('is the first word of the section of that title', () => {
    expect(confidence('## Confidence\nhigh, each link was read.')).toBe('high');
    expect(confidence('### 7. CONFIDENCE:\n\n- **Medium** (60 %): low traffic.')).toBe('medium');
    expect(confidence('# **Confidence**\n`LOW`')).toBe('low');
    expect(confidence('## Confidence\nNot high, rather low.')).toBeNull();
    expect(confidence('## Confidence\nmedium-high')).toBeNull();
    expect(confidence('## Confidence\nhighly likely')).toBeNull();
    expect(confidence('## Confidence\nWe have\nhigh hopes')).toBeNull();
    expect(confidence('## Confidence\n\n## Next\nhigh')).toBeNull();
    expect(confidence('## Confidence\n```\nhigh\n```')).toBeNull();
    expect(confidence('## Confidence\n')).toBeNull();
  });

  it('or of a line that begins so', () => {
    expect(confidence('Text.\n\nConfidence: high. Each link was read.')).toBe('high');
    expect(confidence('**Confidence:** Medium')).toBe('medium');
    expect(confidence('**Confidence**: low')).toBe('low');
    expect(confidence('## Confidence: high')).toBe('high');
    expect(confidence('Confidence: not high')).toBeNull();
    expect(confidence('Confidence:\nhigh')).toBeNull();
  });

  it('is guessed from nowhere else', () => {
    expect(confidence('Severity: high')).toBeNull();
    expect(confidence('My confidence: high')).toBeNull();
    expect(confidence('- Confidence: high')).toBeNull();
    expect(confidence('```\nConfidence: high\n```')).toBeNull();
    expect(confidence('    Confidence: high')).toBeNull();
    expect(confidence('## Confidence in the data\nhigh')).toBeNull();
    expect(confidence('')).toBeNull();
  });

  it('is none where two say different things; the section counts more than a line', () => {
    expect(confidence('Confidence: high\n\nConfidence: low')).toBeNull();
    expect(confidence('Confidence: high\n\nConfidence: High, again')).toBe('high');
    expect(confidence('Confidence: low\n\n## Confidence\nhigh')).toBe('high');
    expect(confidence('Confidence: high\n\n## Confidence\nnot sure')).toBeNull();
  });
});

/** Microseconds of CPU time. */
interface Usage {
  user: number;
  system: number;
}

// The tests run in Node, whose other types would hide mistakes in code for browsers.
declare const process: { cpuUsage: (since?: Usage) => Usage };

it('takes no longer for a line that is made to be slow', () => {
  const n = 200_000;
  const hostile = [
    `# ${'['.repeat(n)}`,
    `## ${'# '.repeat(n)}x`,
    `Confidence${' '.repeat(n)}: high`,
    `${' '.repeat(n)}\`\`\``,
    '[a]('.repeat(n),
    `*${'_'.repeat(n)}`,
    '# x\n'.repeat(n),
    `# a ${'#'.repeat(n)}x`,
  ];
  // Of this process, not of the clock: beside a build a second of work takes several.
  const before = process.cpuUsage();
  for (const text of hostile) outline(text);
  const used = process.cpuUsage(before);
  expect(used.user + used.system).toBeLessThan(5_000_000);
});
