import { createContext, use, useEffect, useLayoutEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { matchShortcut, type Binding } from './match';

type Group = { title: string; bindings: readonly Binding[] };
type Registry = Map<symbol, { current: Group }>;

const Context = createContext<Registry>(new Map());

/** Time within which the second key of a sequence must follow. */
const SEQUENCE_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type));

/** One listener for the whole page; parts add their keys while they are shown. */
export function ShortcutsProvider({ children }: { children: ReactNode }): ReactElement {
  const [registry] = useState<Registry>(() => new Map());
  useEffect(() => {
    let before: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
      const { target } = event;
      const inDialog = target instanceof Element && target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
      const press = {
        key: event.key, mod: event.ctrlKey || event.metaKey, alt: event.altKey, typing: isTyping(target) || inDialog,
        onControl: target instanceof Element && target.closest('button, a, [role="button"], [role="tab"]') !== null,
      };
      const bindings = [...registry.values()].flatMap((group) => group.current.bindings);
      const { hit, next } = matchShortcut(bindings, before, press);
      before = next;
      clearTimeout(timer);
      timer = setTimeout(() => { before = null; }, SEQUENCE_MS);
      if (hit === null) return;
      event.preventDefault();
      hit.run();
    };
    window.addEventListener('keydown', pressed);
    return () => { clearTimeout(timer); window.removeEventListener('keydown', pressed); };
  }, [registry]);
  return <Context value={registry}>{children}</Context>;
}

/** Bind keys while the caller is shown, from the moment that it can be seen; a later binding of the same keys wins. */
export function useShortcuts(title: string, bindings: readonly Binding[]): void {
  const registry = use(Context);
  const group = useRef<Group>({ title, bindings });
  useLayoutEffect(() => { group.current = { title, bindings }; });
  useLayoutEffect(() => {
    const id = Symbol(title);
    registry.set(id, group);
    return () => { registry.delete(id); };
  }, [registry, title]);
}

/** What can be pressed now, by group. */
export function useShortcutGroups(): () => Group[] {
  const registry = use(Context);
  return () => [...registry.values()].map((group) => group.current);
}
