/** Returns the page's CSP nonce, with which scripts may write inline styles. */
export function nonce(): string | undefined {
  // Browsers hide the attribute from scripts, but not the property.
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
}
