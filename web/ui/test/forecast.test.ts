import { describe, expect, it } from 'vitest';
import { fetchedBefore, duplicateWindow, runbookStatus } from '../src/submit/forecast';
import { session } from './fixture';

describe('a runbook before an alert is sent', () => {
  const had = session({ runbook_url: 'https://a/b.md', runbook_content: '# b', started_at_us: 7 });
  const missed = session({ runbook_url: 'https://a/c.md', runbook_error: 'HTTP 404', started_at_us: 5 });
  it('is as the newest session that asked for it found it', () => {
    expect(fetchedBefore('https://a/b.md', [missed, had])).toEqual({ atUs: 7, error: null });
    expect(fetchedBefore('https://a/c.md', [had, missed])).toEqual({ atUs: 5, error: 'HTTP 404' });
  });
  it('is unknown where nobody asked for it, or it is still on its way', () => {
    expect(fetchedBefore('https://a/x.md', [had, missed])).toBeNull();
    expect(fetchedBefore(null, [session()])).toBeNull();
    expect(fetchedBefore('https://a/b.md', [session({ runbook_url: 'https://a/b.md' })])).toBeNull();
  });
});

it('what the API foresees is told in words', () => {
  expect(duplicateWindow('until_the_session_ends')).toBe('until it ends');
  expect(duplicateWindow('while_the_session_is_kept')).toMatch(/until it is deleted/);
  expect(runbookStatus({ is_reachable: true, size: 14, error: null })).toBe('reachable, 14 B');
  expect(runbookStatus({ is_reachable: false, size: null, error: 'no runbook there (404)' })).toBe(
    'failed to fetch: no runbook there (404)',
  );
});
