import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

interface Module<P> {
  default: ComponentType<P>;
}

/**
 * Creates a lazy component whose code is fetched when it is first shown, or earlier by `expect`. If the code is already
 * loaded, the component is shown at once. With `lazy` alone, React shows the fallback for at least 300 ms, no matter
 * how soon the code arrives.
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
    // Calls back synchronously, so React gets the module within the same call.
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
