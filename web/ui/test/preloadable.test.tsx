import { Suspense, type ComponentType, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { preloadable } from '../src/parts/preloadable';

const here = async (): Promise<{ default: ComponentType }> =>
  Promise.resolve({ default: (): ReactElement => <p>here</p> });
const shown = (Part: ComponentType): string =>
  renderToStaticMarkup(
    <Suspense fallback={<i>later</i>}>
      <Part />
    </Suspense>,
  );

describe('a part whose code comes later', () => {
  it('is stood in for until its code is there', () => {
    expect(shown(preloadable(here).Part)).toContain('later');
  });
  it('is shown at once when its code was fetched before', async () => {
    const part = preloadable(here);
    await part.expect();
    expect(shown(part.Part)).toBe('<p>here</p>');
  });
  it('asks again for code that failed to load', async () => {
    let times = 0;
    const part = preloadable(async () => {
      times += 1;
      return times === 1 ? Promise.reject(new Error('offline')) : here();
    });
    await part.expect();
    await part.expect();
    expect(shown(part.Part)).toBe('<p>here</p>');
  });
});
