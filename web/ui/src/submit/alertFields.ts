/** Fields of the submit form, as members of the alert. */

type Alert = Record<string, unknown>;

const dataOf = (alert: Alert): Alert =>
  alert.data !== null && typeof alert.data === 'object' && !Array.isArray(alert.data) ? (alert.data as Alert) : {};

/** Returns the alert with a member set; an empty text removes it. */
export function withField(alert: Alert, name: string, text: string): Alert {
  return text === ''
    ? Object.fromEntries(Object.entries(alert).filter(([member]) => member !== name))
    : { ...alert, [name]: text };
}

/** Returns the environment, a member of the alert's data. */
export function environmentOf(alert: Alert): string {
  const { environment } = dataOf(alert);
  return typeof environment === 'string' ? environment : '';
}

/** The alert with another environment. */
export const withEnvironment = (alert: Alert, text: string): Alert => ({
  ...alert,
  data: withField(dataOf(alert), 'environment', text),
});
