/** Formats that a library checks by code, so that its pattern does not say what it accepts. */
const checkedByCode: ReadonlySet<string> = new Set([
  'cidrv6',
  'credit_card',
  'iban',
  'ipv6',
  'json-string',
  'jwt',
  'regex',
  'uri',
]);

/** True for a format whose values the pattern of a library's schema describes; in JSON Schema it is another condition. */
export function isCheckedByPattern(format: string, vendor: string | undefined): boolean {
  if (vendor === undefined) return false;
  // Only zod parses addresses with the URL parser of JavaScript.
  const isAddress = format === 'ipv6' || format === 'cidrv6';
  return !checkedByCode.has(format) || (isAddress && vendor !== 'zod');
}
