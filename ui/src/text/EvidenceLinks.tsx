import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { pluralize } from '../prefs/format';

/** Evidence for names in a text. */
export interface EvidenceLinks {
  /** Number of tool results with the name. */
  times: (name: string) => number;
  /** Whether it was searched for and no tool result contains it. */
  isUnseen: (name: string) => boolean;
  /** Names that no tool result contains. */
  unseen: number;
  /** What a press of the name does, if not the usual. */
  title?: (name: string) => string;
  /** Scrolls to the first one. */
  show: (name: string) => void;
}

/** Evidence for names in the surrounding text; null: unknown. */
export const EvidenceLinksContext = createContext<EvidenceLinks | null>(null);

/** Inline code; links to evidence if there is any. */
export function InlineCode({ children }: { children?: ReactNode }): ReactElement {
  const seen = useContext(EvidenceLinksContext);
  const name = typeof children === 'string' ? children.trim() : '';
  const times = seen?.times(name) ?? 0;
  if (seen === null || name === '') return <code>{children}</code>;
  if (times === 0) return seen.isUnseen(name) ? <><code className="unseen">{children}</code><small className="unseen-mark" title="The model says this; no tool result has it">not shown by a tool</small></> : <code>{children}</code>;
  return <button type="button" className="seen" title={seen.title?.(name) ?? `Found in ${pluralize(times, 'tool result')}. Click to show the first.`} onClick={() => { seen.show(name); }}><code>{children}</code></button>;
}
