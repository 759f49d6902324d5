import { PatternMatcher, unknownFormats, validateValue } from '@keelson/structural-schema';

/** Formats that a library checks by code, so that its pattern does not say what it accepts. */
const checkedByCode: ReadonlySet<string> = new Set([
  'cidrv6',
  'ipv6',
  'json-string',
  'jwt',
  'regex',
  'uri',
]);

/** True for a format whose values the pattern of a library's schema describes. */
export function isCheckedByPattern(format: string, vendor: string | undefined): boolean {
  // Only zod parses addresses with the URL parser of JavaScript.
  const isAddress = format === 'ipv6' || format === 'cidrv6';
  return !checkedByCode.has(format) || (isAddress && vendor !== 'zod');
}

/** Texts of which a pattern of a library may accept one that Go refuses for the format. */
const probes: Readonly<Record<string, readonly string[]>> = {
  date: ['0000-01-01', '2021-02-31', '2021-2-1', '12021-02-01', '2021-02-01Z'],
  'date-time': [
    '0000-01-01T00:00:00Z',
    '2020-01-01T00:00',
    '2020-01-01 00:00',
    '2020-01-01T00:00Z',
    '2020-01-01T00:00:00',
    '2020-01-01T00:00:00+0000',
    '2020-01-01T00:00:00+00',
    '2020-01-01T00:00:00+23:59',
    '2020-01-01T00:00:00+24:00',
    '2020-01-01 00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:00:60Z',
    '2020-01-01T00:00:00.12345678901234567890Z',
    '2021-02-31T00:00:00Z',
  ],
  email: [
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
    '-@b.co',
    "'@b.co",
    'a%b@c.co',
    'a@-b.co',
    'a@b-.co',
    'a@b..co',
    'a@.co',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    'é@b.co',
  ],
  hostname: ['a.', 'a-.co', '-a.co', '1', '1.2.3.4', 'a_b', 'a.1', 'A.co', `${'a.'.repeat(127)}b`],
  ipv4: ['0.0.0.0', '01.2.3.4', '1.2.3.4/8', '256.1.1.1', '1.2.3'],
  ipv6: ['::', '1::', '::1.2.3.4', '::1%eth0', 'fe80::1%0', '[::1]', '1:2:3:4:5:6:7::'],
  mac: [
    '00:11:22:AA:bb:cc',
    '00-11-22-aa-bb-cc',
    '0011.22aa.bbcc',
    '00:11:22:33:44:55:66:77',
    '0011:22aa:bbcc:ddee',
  ],
  uuid: [
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '123e4567-e89b-92d3-c456-426614174000',
    '123e4567e89b12d3a456426614174000',
    'urn:uuid:123e4567-e89b-12d3-a456-426614174000',
  ],
};

/**
 * True if the server may check the format beside the pattern: it accepts every text that the pattern accepts. The server
 * ignores unknown formats with a warning. Its `duration` is that of Go, not of ISO 8601.
 */
export function isKeptFormat(format: string, pattern: string): boolean {
  const known = Object.hasOwn(probes, format) ? probes[format] : undefined;
  if (known === undefined || unknownFormats({ type: 'string', format }).length > 0) return false;
  const matcher = new PatternMatcher();
  const schema = { type: 'string', format };
  return known.every(
    (text) =>
      !matcher.matches(pattern, text) || validateValue(schema, text, '', matcher).length === 0,
  );
}
