/** The page's nonce: what its policy lets scripts write inline styles with. */
export function nonce(): string | undefined {
  // The attribute itself is hidden from scripts; the property is not.
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
}
