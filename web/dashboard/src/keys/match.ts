/** Matches key presses to shortcuts. */

export interface Binding {
  /** `j`, `?`, `Enter`, `mod+k`, or a sequence such as `g s`. */
  keys: string;
  does: string;
  run: () => void;
  /** Whether it is active while a text field has the focus. */
  whileTyping?: boolean;
}

/** Groups of shortcuts, in the order in which the help lists them: those of the page first. */
export const GROUPS = [
  'Sessions',
  'Session',
  'Conversation',
  'Waterfall',
  'Questions',
  'Approvals',
  'Ask',
  'Everywhere',
] as const;
export type GroupTitle = (typeof GROUPS)[number];

export interface Press {
  key: string;
  mod: boolean;
  alt: boolean;
  typing: boolean;
  onControl: boolean;
}

/** A key press in the notation of a binding. */
export const written = (press: Press): string => (press.mod ? `mod+${press.key.toLowerCase()}` : press.key);

/** Finds the binding of a key press; `before` is the previous key of a sequence. */
export function matchShortcut(
  bindings: readonly Binding[],
  before: string | null,
  press: Press,
): { hit: Binding | null; next: string | null } {
  if (press.alt) return { hit: null, next: null };
  const now = written(press);
  const allowed = bindings.filter((binding) => {
    if (press.typing) return binding.whileTyping === true;
    // Enter and Space belong to the button or link that has the focus.
    return !(press.onControl && (now === 'Enter' || now === ' '));
  });
  const sequence = before === null ? undefined : allowed.findLast((binding) => binding.keys === `${before} ${now}`);
  if (sequence !== undefined) return { hit: sequence, next: null };
  const single = allowed.findLast((binding) => binding.keys === now);
  if (single !== undefined) return { hit: single, next: null };
  return { hit: null, next: allowed.some((binding) => binding.keys.startsWith(`${now} `)) ? now : null };
}
