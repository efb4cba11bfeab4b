import { createContext, use, useLayoutEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { GROUPS, matchShortcut, type Binding, type GroupTitle } from './match';

type Group = { title: GroupTitle; bindings: readonly Binding[] };
type Registry = Map<symbol, { current: Group }>;

const Context = createContext<Registry>(new Map());

/** Maximum time between the two keys of a sequence, in milliseconds. */
const SEQUENCE_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type));

/** Holds the page's keyboard listener; components register shortcuts while mounted. */
export function ShortcutsProvider({ children }: { children: ReactNode }): ReactElement {
  const [registry] = useState<Registry>(() => new Map());
  // A layout effect runs before the first paint, so that a key pressed right after it is not lost.
  useLayoutEffect(() => {
    let before: string | null = null;
    // The time when keys were pressed decides whether they form a sequence, not when a busy page handled them.
    let pressedAt = 0;
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
      const { target } = event;
      const inDialog =
        target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
      const press = {
        key: event.key,
        mod: event.ctrlKey || event.metaKey,
        alt: event.altKey,
        typing: isTyping(target) || inDialog,
        onControl: target instanceof Element && target.closest('button, a, [role="button"], [role="tab"]') !== null,
      };
      const bindings = [...registry.values()].flatMap((group) => group.current.bindings);
      const continues = event.timeStamp - pressedAt <= SEQUENCE_MS;
      const { hit, next } = matchShortcut(bindings, continues ? before : null, press);
      before = next;
      pressedAt = event.timeStamp;
      if (hit === null) return;
      event.preventDefault();
      hit.run();
    };
    window.addEventListener('keydown', pressed);
    return () => {
      window.removeEventListener('keydown', pressed);
    };
  }, [registry]);
  return <Context value={registry}>{children}</Context>;
}

/** Binds keys while the caller is mounted. The latest binding of a key wins. */
export function useShortcuts(title: GroupTitle, bindings: readonly Binding[]): void {
  const registry = use(Context);
  const group = useRef<Group>({ title, bindings });
  useLayoutEffect(() => {
    group.current = { title, bindings };
  });
  useLayoutEffect(() => {
    const id = Symbol(title);
    registry.set(id, group);
    return () => {
      registry.delete(id);
    };
  }, [registry, title]);
}

/** Returns a function that lists the active shortcuts, in the order of `GROUPS` because the mounting order varies. */
export function useShortcutGroups(): () => Group[] {
  const registry = use(Context);
  return () =>
    [...registry.values()]
      .map((group) => group.current)
      .sort((a, b) => GROUPS.indexOf(a.title) - GROUPS.indexOf(b.title));
}
