import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

interface Module<P> {
  default: ComponentType<P>;
}

/**
 * A part whose code is fetched when it is first shown, or before that by `expect`. Code that is there already is shown
 * at once: what React shows meanwhile otherwise stays for at least 300 ms, however soon the code comes.
 */
export function preloadable<P>(load: () => Promise<Module<P>>): {
  Part: LazyExoticComponent<ComponentType<P>>;
  expect: () => Promise<void>;
} {
  let known: Module<P> | undefined;
  const get = async (): Promise<Module<P>> => {
    known = await load();
    return known;
  };
  const at = (module: Module<P>): PromiseLike<Module<P>> => ({
    // React asks within the same call what came of it.
    then: (take) => {
      take?.(module);
      return at(module) as never;
    },
  });
  return {
    Part: lazy(() => (known === undefined ? get() : (at(known) as Promise<Module<P>>))),
    expect: async () => {
      await get().catch(() => undefined);
    },
  };
}
