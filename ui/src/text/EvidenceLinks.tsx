import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { pluralize } from '../prefs/format';

/** Names of a text that stand elsewhere too. */
export interface EvidenceLinks {
  /** In how many tool results; 0: in none. */
  times: (name: string) => number;
  /** Go to the first. */
  show: (name: string) => void;
}

/** What is known of the names in the text around; null: nothing. */
export const EvidenceLinksContext = createContext<EvidenceLinks | null>(null);

/** Code in a line of prose; a name that was seen leads to where. */
export function InlineCode({ children }: { children?: ReactNode }): ReactElement {
  const seen = useContext(EvidenceLinksContext);
  const name = typeof children === 'string' ? children.trim() : '';
  const times = seen?.times(name) ?? 0;
  if (seen === null || times === 0) return <code>{children}</code>;
  return <button type="button" className="seen" title={`Found in ${pluralize(times, 'tool result')}. Click to show the first.`} onClick={() => { seen.show(name); }}><code>{children}</code></button>;
}
