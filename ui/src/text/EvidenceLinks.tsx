import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { pluralize } from '../prefs/format';

/** Evidence for names in a text. */
export interface EvidenceLinks {
  /** Number of tool results with the name. */
  times: (name: string) => number;
  /** Go to the first. */
  show: (name: string) => void;
}

/** What is known of the names in the text around; null: nothing. */
export const EvidenceLinksContext = createContext<EvidenceLinks | null>(null);

/** Inline code; links to evidence if there is any. */
export function InlineCode({ children }: { children?: ReactNode }): ReactElement {
  const seen = useContext(EvidenceLinksContext);
  const name = typeof children === 'string' ? children.trim() : '';
  const times = seen?.times(name) ?? 0;
  if (seen === null || times === 0) return <code>{children}</code>;
  return <button type="button" className="seen" title={`Found in ${pluralize(times, 'tool result')}. Click to show the first.`} onClick={() => { seen.show(name); }}><code>{children}</code></button>;
}
