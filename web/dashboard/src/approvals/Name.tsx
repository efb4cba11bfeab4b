import { mono } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** A name as code. It always runs from left to right, and cannot reorder the text around it. */
export function Name({ children }: { children: string }): ReactElement {
  return (
    <code dir="ltr" style={{ fontFamily: mono, unicodeBidi: 'isolate-override' }}>
      {children}
    </code>
  );
}
