/** The request of the form, as a command for a shell. */

/** Quotes a text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a curl command that sends `body` to `path` of `origin`. It names the variable of the key, never the key. */
export function curl(origin: string, path: string, body: unknown, withKey: boolean): string {
  const lines = [`curl -sS ${quoted(`${origin}${path}`)}`, `-H 'Content-Type: application/json'`];
  if (withKey) lines.push('-H "Authorization: Bearer $TARSY_API_KEY"');
  lines.push(`--data ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(' \\\n  ');
}
