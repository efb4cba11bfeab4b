import { mono } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** A name as code. It runs from left to right whatever letters it has, and cannot reorder its neighbours. */
export function Name({ children }: { children: string }): ReactElement {
  return (
    <code dir="ltr" style={{ fontFamily: mono, unicodeBidi: 'isolate-override' }}>
      {children}
    </code>
  );
}
