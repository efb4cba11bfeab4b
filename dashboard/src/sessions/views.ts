/** Views that somebody saved: a name, and the filters as they stand in the address. Kept in this browser. */

export interface View { name: string; address: string }

const KEY = 'tarsy.views';
/** More can't be overlooked at a glance. */
export const MOST = 30;

/** Read what is stored; what isn't understood is left out. */
export function parseViews(text: string | null): View[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((one: unknown): View[] => {
      const { name, address } = (one ?? {}) as Partial<View>;
      return typeof name === 'string' && name !== '' && typeof address === 'string' ? [{ name, address }] : [];
    }).slice(0, MOST);
  } catch {
    return [];
  }
}

/** With one more view; one of the same name is replaced. */
export const withView = (views: readonly View[], view: View): View[] => [...views.filter((one) => one.name !== view.name), view].slice(-MOST);

export const storedViews = (): View[] => parseViews(localStorage.getItem(KEY));
export const storeViews = (views: readonly View[]): void => { localStorage.setItem(KEY, JSON.stringify(views)); };
