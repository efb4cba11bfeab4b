/**
 * Setting whether History shows an incident as one row. This file does not import React, so that the entry can request
 * the list before the app is loaded.
 */

const KEY = 'tarsy.history';
const FLAT = 'flat';

export const isGrouping = (): boolean => localStorage.getItem(KEY) !== FLAT;

/** Stores the setting in this browser. */
export const keepGrouping = (grouping: boolean): void => {
  if (grouping) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, FLAT);
};
