/** Saved views: name and query string, stored in this browser. */

export interface View {
  name: string;
  address: string;
}

const KEY = 'tarsy.views';
/** Maximum number of saved views. */
export const MOST = 30;

/** Parses stored views; invalid ones are dropped. */
export function parseViews(text: string | null): View[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored
      .flatMap((one: unknown): View[] => {
        const { name, address } = (one ?? {}) as Partial<View>;
        return typeof name === 'string' && name !== '' && typeof address === 'string' ? [{ name, address }] : [];
      })
      .slice(0, MOST);
  } catch {
    return [];
  }
}

/** Adds a view, or replaces the one of the same name. */
export const withView = (views: readonly View[], view: View): View[] =>
  [...views.filter((one) => one.name !== view.name), view].slice(-MOST);

export const storedViews = (): View[] => parseViews(localStorage.getItem(KEY));
export const storeViews = (views: readonly View[]): void => {
  localStorage.setItem(KEY, JSON.stringify(views));
};
