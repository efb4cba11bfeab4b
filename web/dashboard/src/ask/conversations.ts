/** Groups earlier questions by conversation. */
import type { SessionLine } from '@tarsy/ui';

export interface EarlierConversation {
  id: string;
  /** Text of its first loaded question. */
  title: string;
  questions: number;
  /** Its newest question. */
  last: SessionLine;
}

/** Groups questions, newest first, by conversation; the conversation with the newest question comes first. */
export function byConversation(rows: readonly SessionLine[]): EarlierConversation[] {
  const all = new Map<string, EarlierConversation>();
  for (const row of rows) {
    const id = row.conversation_id ?? row.session_id;
    const known = all.get(id);
    const title = row.question ?? '(no question)';
    if (known === undefined) all.set(id, { id, title, questions: 1, last: row });
    else all.set(id, { ...known, title, questions: known.questions + 1 });
  }
  return [...all.values()];
}
