/** Whether History shows an incident as one row. Without React: the entry asks for the list before the app is there. */

const KEY = 'tarsy.history';
const FLAT = 'flat';

export const isGrouping = (): boolean => localStorage.getItem(KEY) !== FLAT;

/** Remembers it in this browser. */
export const keepGrouping = (grouping: boolean): void => {
  if (grouping) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, FLAT);
};
