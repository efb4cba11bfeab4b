/** The pages, for navigation, palette and `g` keys. */
export const PAGES = [
  { path: '/sessions', label: 'Sessions', key: 's' },
  { path: '/approvals', label: 'Approvals', key: 'a' },
  { path: '/fleet', label: 'Fleet', key: 'f' },
  { path: '/usage', label: 'Usage', key: 'u' },
  { path: '/config', label: 'Config', key: 'c' },
  { path: '/submit', label: 'Submit', key: 'n' },
] as const;
