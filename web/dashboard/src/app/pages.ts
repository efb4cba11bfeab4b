/**
 * The pages, for navigation, palette and `g` keys. The navigation shows pages for admins only to admins, and the page
 * of the knowledge store only if there is one.
 */
export const PAGES = [
  { path: '/inbox', label: 'Inbox', key: 'i' },
  { path: '/sessions', label: 'History', key: 's' },
  { path: '/approvals', label: 'Approvals', key: 'a' },
  { path: '/ask', label: 'Ask', key: 'q', knowledge: true },
  { path: '/fleet', label: 'Fleet', key: 'f' },
  { path: '/usage', label: 'Usage', key: 'u' },
  { path: '/quality', label: 'Quality', key: 'y' },
  { path: '/config', label: 'Config', key: 'c' },
  { path: '/submit', label: 'Submit', key: 'n' },
  { path: '/keys', label: 'Keys', key: 'k', admin: true },
] as const satisfies readonly { path: string; label: string; key: string; admin?: true; knowledge?: true }[];
