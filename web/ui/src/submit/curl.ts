/** The same request for a shell. */

/** A text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A curl command that sends `body` to `path` of `origin`; a key is named, never shown. */
export function curl(origin: string, path: string, body: unknown, withKey: boolean): string {
  const lines = [`curl -sS ${quoted(`${origin}${path}`)}`, `-H 'Content-Type: application/json'`];
  if (withKey) lines.push('-H "Authorization: Bearer $TARSY_API_KEY"');
  lines.push(`--data ${quoted(JSON.stringify(body, null, 2))}`);
  return lines.join(' \\\n  ');
}
