/** The views of a session's record. */
export const TABS = [
  ['conversation', 'Conversation'],
  ['waterfall', 'Waterfall'],
  ['handover', 'Stage handoff'],
  ['alert', 'Alert & runbook'],
  ['activity', 'Activity'],
] as const;
export type TabName = (typeof TABS)[number][0];

/** Tab in the URL; a link to an event opens the conversation. */
export function readTab(params: URLSearchParams): TabName {
  const word = params.get('tab');
  return params.has('event') ? 'conversation' : (TABS.find(([name]) => name === word)?.[0] ?? 'conversation');
}
