import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ConfidenceChip, ErrorState } from '../src';
import { ApiError } from '../src/api/problem';

it('a confidence is the model’s own word, and looks like success only if the verdict agrees', () => {
  const chip = (level: 'high' | 'low', verdict: string | null): string =>
    renderToStaticMarkup(<ConfidenceChip level={level} verdict={verdict} />);
  const green = '--mui-palette-success-main';
  expect(chip('high', 'partly_supported').replaceAll(/<[^>]*>/g, '')).toContain('Model&#x27;s confidence: high');
  for (const verdict of ['partly_supported', 'unsupported', 'inconclusive', null])
    expect(chip('high', verdict)).not.toContain(green);
  for (const verdict of ['supported', 'no_fault']) expect(chip('high', verdict)).toContain(green);
  expect(chip('low', 'supported')).not.toContain(green);
});

it('who lacks a role is sent to an admin, who gives it', () => {
  const denied = new ApiError('forbidden', 403, { detail: 'role admin is required, the caller has operator' });
  const text = renderToStaticMarkup(<ErrorState error={denied} />);
  expect(text).toContain('ask an admin');
  expect(text).not.toContain('ask an operator');
});
