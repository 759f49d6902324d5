import type { RandomSource } from './random-source.ts';

/** Literals of each type, with the values at which implementations differ. */
const scalars: Readonly<Record<string, readonly string[]>> = {
  bool: ['true', 'false'],
  int: [
    '0', '1', '2', '-1', '3', '10', '-7', '100', '255', '0x1F', '0xff', '-0x10', '9223372036854775807',
    '-9223372036854775808', '9007199254740993', '4611686018427387904', '86400', '253402300800', '-62135596801',
  ],
  uint: ['0u', '1u', '2u', '10u', '0x1Fu', '0xffU', '18446744073709551615u', '9223372036854775808u', '9007199254740993u', '7U'],
  double: [
    '0.0', '1.0', '-1.0', '0.5', '1.5', '2.5', '-0.0', '3.14', '1e3', '1e21', '1e-7', '0.1', '.5', '9223372036854775807.0',
    '9223372036854774784.0', '-9223372036854775808.0', '18446744073709551615.0', '9007199254740993.0', '1.7976931348623157e308',
    '5e-324', '1e6', '123456.789', '1234567.0', '100000.0', '-2.5e-3',
  ],
  null: ['null'],
  bytes: ["b''", "b'abc'", "b'\\xff\\x00'", "b'\\u00e9'", "b'é'", "br'\\n'", "b'\\377'", 'b"""a\nb"""'],
};

/** Strings by the kind that a function expects. */
const texts: Readonly<Record<string, readonly string[]>> = {
  any: [
    '', 'a', 'b', 'abc', 'hello world', 'a,b,c', ',', ' ', '  pad ', '\uFEFFx\uFEFF', '\u0085\u00a0t\u2003', 'é', '日本', '😀', 'a😀b',
    'ABC', 'aBc1', '%', '%s', '\n', '\t', '"', "'", '\\', 'true', '1', '-5', '1.5', 'x.y', 'a-b', 'e\u0301', '\u180ex\u200b', 'K', 'ſ',
  ],
  number: [
    '0', '1', '-1', '+5', '007', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '18446744073709551615',
    '1.5', '-1e3', 'NaN', 'inf', '-Infinity', '+Inf', '0x10', '1_000', '', ' 1', 'true', 'True', 't', 'F', 'FALSE', 'tRUE', '1e400', '.5',
    '5.', '1e', '0x1p-2', '1_0.5',
  ],
  small: ['0', '1', '2', '-1', '3'],
  template: [
    '%s', '%d', '%s and %s', '%.2f', '%e', '%x', '%X', '%b', '%o', '%%', '%', 'none', '%s %d %f', '%.3e', '%5d', '%.s', '%y', '%.1f|%s',
    '%f', '%.0f', '%s%s%s',
  ],
  pattern: [
    'a', '^a+$', '[0-9]+', '.*', '', 'a|b', '(a)(b)?', '(?i)abc', '\\d+', '\\s', '\\w+', '[', '(', 'a{2,3}', 'a{1001}', '(?=a)', '\\1', '\\p{L}',
    '[[:alpha:]]+', '(?P<n>a)', '(?<n>a)', 'x*', '\\bab\\b', '\\Qa.b\\E', '\\C', '^$', '\\z', '\\Z', '(?s).', '[^a]', '*', 'a**', '\\pN', '[z-a]',
    '(?i)ſ', '\\x{1F600}', '.',
  ],
  ip: [
    '127.0.0.1', '10.0.0.1', '255.255.255.255', '0.0.0.0', '169.254.1.1', '224.0.0.1', '::1', '::', 'fe80::1', 'ff02::1', '2001:db8::abcd', '2001:DB8::ABCD',
    '::ffff:1.2.3.4', '::ffff:0102:0304', '1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', 'fe80::1%eth0', '', 'a', '1::2::3', '1:2:3:4:5:6:7:8', '2001:db8:0:0:1:0:0:1',
    '192.168.0.1', '8.8.8.8',
  ],
  cidr: [
    '10.0.0.0/8', '192.168.0.0/16', '192.168.1.5/24', '0.0.0.0/0', '1.2.3.4/32', '2001:db8::/32', '::/0', '::1/128', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0', '10.0.0.0/-1',
    '::ffff:1.2.3.4/112', 'fe80::1%eth0/64', '', 'x/8', '10.0.0.0/+8', '10.0.0.0/',
  ],
  quantity: [
    '1', '500m', '1.5', '1Gi', '2Ki', '0', '-1', '+3', '1e3', '1E3', '1E', '1.5Gi', '0.5m', '100n', '1u', '1k', '1M', '1000m', '1024', '9223372036854775807', '9223372036854775808',
    '1e19', '0.1n', '', 'a', '1.', '.5', '1 ', '1ki', '1Mi', '3Ei', '12345678901234567890', '1e-3', '-500m', '0Gi', '1.0', '10.50k', '1e-10', '100Pi',
  ],
  semver: [
    '1.2.3', '0.0.0', '1.2.3-alpha', '1.2.3-alpha.1', '1.2.3-alpha.beta', '1.2.3+build', '1.2.3-rc.1+b.5', 'v1.2.3', '1.2', '1', '01.2.3', '1.02.3', '1.2.3-01', '1.2.3-', '1.2.3+', '', 'a.b.c',
    '18446744073709551615.0.0', '18446744073709551616.0.0', '1.2.3.4', 'v1', 'V1.0.0', '1.2-alpha', '1.2.3-a_b', ' 1.2.3', '1..3', '1.2.-3', 'v01.002.3-x', '00.0.0', '1.2.3-x.7.z.92',
  ],
  url: [
    'https://example.com', 'https://example.com:8080/a/b?x=1&x=2&y=', 'http://user:pw@host/path', '/relative', '/a?b=c', 'relative', '', 'http://[::1]:80/', 'http://[::1', 'https://a b/', 'https://h/%zz',
    'https://h/a%20b', 'HTTPS://Example.COM/Q', 'mailto:a@b.c', '//host/x', '://x', 'https://h:port/', 'https://h/?a=%41&b=+', 'https://h/é', 'https://h#frag', 'http://h/a?x;y=1', '*', 'https://h:/',
    'http://a/b c', 'http://[fe80::1%25en0]/', 'https://h/?q=%zz&r=1', 'https:///nohost', '/%2f', 'http://h/"', 'a:b:c', '1http://x',
  ],
  zone: ['UTC', '', 'America/New_York', 'Europe/Vienna', '+02:00', '-05:30', '02:00', 'Asia/Kolkata', 'Nowhere/City', '+2:00', 'Local', '25:00', '+00:00', 'EST', 'utc', '+99:99', 'GMT', 'Etc/GMT+3'],
  duration: ['1s', '1h30m', '-5m', '0', '1.5h', '100ms', '1us', '1µs', '5ns', '9223372036s', '10000000000s', '', '1', '1d', '1h-5m', '.5s', '+1s', '1 s', '2540400h', '0.1ns', '1.0000000001s'],
  timestamp: [
    '2024-02-29T12:34:56Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2023-06-15T23:59:59.123456789+02:00', '2000-01-01T00:00:00.5-11:30', '0000-12-31T23:59:59Z', '2023-02-29T00:00:00Z',
    '2023-01-01', '2023-01-01t00:00:00z', '10000-01-01T00:00:00Z', '2023-01-01T24:00:00Z', '2016-12-31T23:59:60Z', '1969-12-31T23:59:59.999Z', '', '2023-01-01T00:00:00', '2023-1-1T00:00:00Z', '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00', '2023-01-01T00:00:00+24:00', '2023-01-01T1:00:00Z', '2023-01-01T00:00:00,5Z', '0002-03-04T05:06:07Z',
  ],
  format: ['dns1123Label', 'dns1123Subdomain', 'uri', 'uuid', 'byte', 'date', 'datetime', 'labelValue', 'qualifiedName', 'nope', '', 'dns1035Label', 'dns1123LabelPrefix'],
  formatted: [
    'abc', 'a.b', 'A', '-a', 'a-', '1a', 'a_b', 'a/b', 'example.com/name', '', '123e4567-e89b-12d3-a456-426614174000', 'aGk=', 'aGk', '2023-01-01', '2023-01-01T00:00:00Z', 'https://x', 'x'.repeat(64), 'x'.repeat(254),
    '/', 'a..b', 'é', '2023-13-01', '2023-01-01T00:00:00+0100', '2023-02-30', '123E4567E89B12D3A456426614174000', 'a\n',
  ],
};

/** Returns the source of a random literal; `undefined` for types without literals. */
export function randomLiteral(random: RandomSource, type: string, kind?: string): string | undefined {
  if (type === 'string') return quoted(random, randomText(random, kind));
  if (type === 'int' && kind === 'small') return random.pick(texts['small'] ?? []);
  const pool = scalars[type];
  return pool && random.pick(pool);
}

function randomText(random: RandomSource, kind = 'any'): string {
  if (random.chance(0.1)) return random.pick(texts[random.pick(Object.keys(texts))] ?? []);
  return random.pick(texts[kind] ?? texts['any'] ?? []);
}

/** Writes a string as a literal, in one of the notations of CEL. */
function quoted(random: RandomSource, text: string): string {
  const plain = !/[\\\n"']/.test(text);
  const way = random.below(8);
  if (plain && way === 0) return `r'${text}'`;
  if (plain && way === 1) return `"""${text}"""`;
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('"', '\\"')
    .replaceAll("'", "\\'");
  if (way === 2) return `"${escaped}"`;
  if (way === 3 && plain) {
    return `'${Array.from(text, (each) => `\\U${(each.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`).join('')}'`;
  }
  return `'${escaped}'`;
}

export function textKinds(): readonly string[] {
  return Object.keys(texts);
}
