import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '../validation/json-schema.ts';
import { validateCompilation } from './validate-expressions.ts';

type Fields = Record<string, JsonSchema>;

const text = (maxLength?: number): JsonSchema => ({
  type: 'string',
  ...(maxLength !== undefined && { maxLength }),
});
const list = (items: JsonSchema, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
});
const map = (values: JsonSchema, maxProperties?: number): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
  ...(maxProperties !== undefined && { maxProperties }),
});
const object = (properties: Fields, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});
const ruled = (schema: JsonSchema, rule: string): JsonSchema => ({
  ...schema,
  'x-kubernetes-validations': [{ rule }],
});

function problemsOf(spec: JsonSchema): readonly string[] {
  return validateCompilation(object({ spec }), 'schema').map(
    ({ field = '', message = '' }) =>
      `${field.replace(/^schema(\.properties\[spec\]\.?)?/, '').replace('x-kubernetes-validations[0].', '')}: ${message.replace(/ \(try .*$/, '')}`,
  );
}

/** The factor by which the estimate for a rule exceeds its limit. */
function excessOf(rule: string, fields: Fields): string {
  const [first = ''] = problemsOf(ruled(object(fields), rule));
  if (first === '') return 'affordable';
  return /estimated rule cost exceeds budget by factor of (.*)$/.exec(first)?.[1] ?? first;
}

// Recorded from kube-apiserver 1.36.3.
describe('the estimated cost of a rule', () => {
  test.each<[string, Fields, string]>([
    ["self.u.all(x, x.matches('^[a-z]+$'))", { u: list(text()) }, 'more than 100x'],
    ["self.u.all(x, x.matches('^[a-z]+$'))", { u: list(text(1000), 1000) }, 'affordable'],
    ["self.u.all(x, x.matches('^[a-z]+$'))", { u: list(text(), 20) }, '1.258300x'],
    ['self.u.all(x, self.u.exists_one(y, x == y))', { u: list(text(20), 1000) }, '1.200700x'],
    ['self.u.all(x, self.u.exists_one(y, x == y))', { u: list(text()) }, 'more than 100x'],
    [
      'self.u.all(x, self.u.all(y, self.u.all(z, x == y)))',
      { u: list(text(5), 100) },
      'affordable',
    ],
    ["self.u.matches('^[a-z]+$')", { u: text() }, 'affordable'],
    [
      "self.u.matches('^[a-z]+(a|b|c|d|e|f|g|h)(a|b|c|d|e|f|g|h)(a|b|c|d|e|f|g|h)(a|b|c|d|e|f|g|h)(a|b|c|d|e|f|g|h)$')",
      { u: text() },
      'affordable',
    ],
    ['self.u.contains(self.v)', { u: text(), v: text() }, 'more than 100x'],
    [
      "self.u.contains('abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz')",
      { u: text() },
      '1.163920x',
    ],
    ['self.u == self.v', { u: list(text()), v: list(text()) }, 'affordable'],
    [
      'self.u.all(x, self.v.all(y, x == y))',
      { u: list(text(10), 500), v: list(text(30), 700) },
      'affordable',
    ],
    ["self.u.all(k, self.u[k] != 'x')", { u: map(text()) }, 'affordable'],
    ["self.u.all(k, self.u[k].matches('a+b'))", { u: map(text(100), 5000) }, 'affordable'],
    [
      "self.u.all(k, v, v.matches('a+b') && k.matches('ab'))",
      { u: map(text(100), 5000) },
      'affordable',
    ],
    [
      "self.u.map(x, x.name).all(n, n.matches('a*'))",
      { u: list(object({ name: text(50) }, ['name']), 5000) },
      'affordable',
    ],
    [
      "self.u.filter(x, has(x.name)).all(n, n.name.matches('a*'))",
      { u: list(object({ name: text(50) }, ['name'])) },
      'more than 100x',
    ],
    [
      "self.u.all(x, x.v.all(y, y.matches('a')))",
      { u: list(object({ v: list(text()) })) },
      'more than 100x',
    ],
    [
      "self.u.all(x, x.v.all(y, y.matches('a')))",
      { u: list(object({ v: list(text(63), 8) }), 16000) },
      'affordable',
    ],
    ['self.u.isSorted()', { u: list(text()) }, 'more than 100x'],
    ['self.u.sum() > 1', { u: list({ type: 'integer' }) }, 'affordable'],
    ['self.u.map(x, x.lowerAscii()).isSorted()', { u: list(text(40), 100000) }, 'more than 100x'],
    ["self.u.split(',').all(x, x.matches('a'))", { u: text(100) }, 'affordable'],
    ["self.u.split(',').all(x, x.matches('a'))", { u: text() }, '1.6x'],
    ["self.u.split(',', 3).all(x, x.matches('a'))", { u: text() }, 'affordable'],
    ["self.u.join(',').matches('a')", { u: list(text(40), 10000) }, 'affordable'],
    ["self.u.replace('a', 'bb').matches('a+b+c+')", { u: text(1000000) }, 'affordable'],
    ["self.u.replace(self.u, self.u).matches('a+b+c+')", { u: text(1000) }, 'affordable'],
    ["self.u.replace('', self.u).matches('a+b+c+')", { u: text(1000) }, 'affordable'],
    ["(self.u + self.u).matches('a+b+c+')", { u: text(400000) }, 'affordable'],
    ["(self.u.size() > 1 ? self.u : 'a').matches('a+b+c+dd')", { u: text(700000) }, 'affordable'],
    ["self.u.findAll('a+b').all(x, x.matches('aa'))", { u: text(1000) }, 'affordable'],
    ["url(self.u).getHost().matches('a')", { u: text(1000) }, 'more than 100x'],
    ["isURL(self.u) && url(self.u).getScheme() == 'a'", { u: text() }, 'affordable'],
    ["quantity(self.u).isGreaterThan(quantity('1'))", { u: text() }, 'affordable'],
    ['isIP(self.u) && ip(self.u).family() == 4', { u: text() }, 'affordable'],
    ["cidr('10.0.0.0/8').containsIP(self.u)", { u: text() }, 'affordable'],
    ["self.u.all(c, cidr('10.0.0.0/8').containsIP(c))", { u: list(text(40), 1000000) }, '2.5x'],
    ["self.u.all(c, cidr('10.0.0.0/8').containsCIDR(c))", { u: list(text(40), 1000000) }, '2.8x'],
    ['!format.dns1123Label().validate(self.u).hasValue()', { u: text() }, '1.006634x'],
    [
      'self.u.all(x, !format.dns1123Label().validate(x).hasValue())',
      { u: list(text(63), 10000) },
      'affordable',
    ],
    ['self.u.distinct().size() == 1', { u: list(text()) }, 'more than 100x'],
    ["self.u.distinct().all(x, x.matches('a'))", { u: list(text(10), 1000) }, 'affordable'],
    ['self.u.sort() == self.u', { u: list(text(10), 2000) }, 'affordable'],
    [
      'self.u.sortBy(x, x.name) == self.u',
      { u: list(object({ name: text(10) }), 2000) },
      'affordable',
    ],
    ["self.u.slice(0, 3).all(x, x.matches('a'))", { u: list(text(1000000)) }, 'affordable'],
    ["self.u.reverse().all(x, x == 'a')", { u: list(text(100), 100000) }, 'affordable'],
    ["self.u.flatten().all(x, x == 'a')", { u: list(list(text(100), 10), 100000) }, 'affordable'],
    ["lists.range(100000).all(x, self.u[x] == 'a')", { u: list(text(100), 100000) }, 'affordable'],
    ['sets.contains(self.u, self.u)', { u: list(text(10), 4000) }, '1.6x'],
    ["sets.equivalent(self.u, ['a','b'])", { u: list(text(10)) }, 'affordable'],
    ['self.u.all(x, x in self.v)', { u: list(text(10), 4000), v: list(text(10), 9000) }, '3.6x'],
    ["self.u.all(x, x in ['a','b','c'])", { u: list(text(10)) }, '1.8x'],
    ['self.u.all(x, x in self.v)', { u: list(text(10), 4000000), v: map(text(10), 9000) }, '2.8x'],
    ["self.u.exists(x, x == 'a') || self.u.exists(x, x == 'b')", { u: list(text()) }, '1.258291x'],
    [
      'self.u.all(x, x.a == x.b && x.c > 1)',
      {
        u: list(object({ a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'number' } })),
      },
      '1.048575x',
    ],
    ['self.u.all(x, x == 1)', { u: list({ 'x-kubernetes-int-or-string': true }) }, 'affordable'],
    [
      "self.u.all(x, string(x).matches('a'))",
      { u: list({ 'x-kubernetes-int-or-string': true }, 10000) },
      'more than 100x',
    ],
    [
      "self.u.all(x, type(x) == string ? x.matches('a+') : x > 1)",
      { u: list({ 'x-kubernetes-int-or-string': true, maxLength: 30 }, 1000000) },
      '2.0x',
    ],
    [
      "self.u.all(x, x.when > timestamp('2020-01-01T00:00:00Z'))",
      { u: list(object({ when: { type: 'string', format: 'date-time' } }, ['when'])) },
      'affordable',
    ],
    [
      "self.u.all(x, x.enum == 'a')",
      { u: list(object({ enum: { type: 'string', enum: ['aaaaaaaaaa', 'b'] } }, ['enum'])) },
      'affordable',
    ],
    ["self.?u.orValue([]).all(x, x.matches('a'))", { u: list(text(50), 5000) }, 'more than 100x'],
    ['self.?u.optMap(u, u.size()).orValue(1) == 1', { u: list(text(50), 5000) }, 'affordable'],
    [
      "self.u.transformList(i, x, x + string(i)).all(y, y == 'a')",
      { u: list(text(50), 500) },
      'more than 100x',
    ],
    [
      "self.u.transformMap(k, v, v.matches('a')).all(k, k == 'a')",
      { u: map(text(50), 50000) },
      'affordable',
    ],
    [
      "self.u.transformMapEntry(i, x, {x: i}).all(k, k == 'a')",
      { u: list(text(50), 500) },
      'affordable',
    ],
    ["'%s'.format([self.u]) == 'a'", { u: list(text(50), 50000) }, 'affordable'],
    ["strings.quote(self.u).matches('a')", { u: text(100000) }, 'affordable'],
    [
      "bytes(self.u) == b'a' && string(bytes(self.u)).matches('ab')",
      { u: text(100000) },
      'affordable',
    ],
    [
      "self.u.lastIndexOf('a') == 1 && self.u.substring(1).matches('a') && self.u.trim().upperAscii() == 'a'",
      { u: text(1000000) },
      'affordable',
    ],
    ['self.u < self.v && self.u >= self.v', { u: text(1000000), v: text() }, 'affordable'],
    [
      "has(self.u.v) && self.u.v.all(x, has(x.y) && x.y == 'a')",
      { u: object({ v: list(object({ y: text() })) }) },
      'affordable',
    ],
    ["self.u.all(x, dyn(x) == 'a')", { u: list(text()) }, 'affordable'],
    [
      "{'a': self.u, 'b': self.u}['a'].all(x, x.matches('a'))",
      { u: list(text(10), 100000) },
      'more than 100x',
    ],
    [
      "[self.u, self.u].all(v, v.all(x, x.matches('a')))",
      { u: list(text(10), 100000) },
      'affordable',
    ],
    [
      "self.u.map(x, [x]).all(v, v.all(y, y.matches('a')))",
      { u: list(text(10), 1000) },
      'affordable',
    ],
    ["self.u.first().orValue('').matches('a')", { u: list(text(100000), 1000) }, 'more than 100x'],
    [
      "self.u[0].matches('a') && self.u[0] == self.u[1]",
      { u: list(text(1000000), 1000) },
      'affordable',
    ],
    ["self.u['a'].matches('a')", { u: map(text(1000000), 1000) }, 'affordable'],
    [
      'self.u.all(x, semver(x).major() > 1 && isSemver(x))',
      { u: list(text(100), 1000000) },
      '8.7x',
    ],
    ['self.u.matches(self.v)', { u: text(1000), v: text(10000) }, 'affordable'],
    ["self.u.find(self.v) == ''", { u: text(1000), v: text(10000) }, 'affordable'],
    [
      "self.u.wait < duration('1h')",
      { u: object({ wait: { type: 'string', format: 'duration' } }) },
      'affordable',
    ],
    [
      "self.u.all(x, x.wait < duration('1h'))",
      { u: list(object({ wait: { type: 'string', format: 'duration' } })) },
      'affordable',
    ],
    ["self.u == b'a'", { u: { type: 'string', format: 'byte' } }, 'affordable'],
    [
      "self.u.all(x, x == b'a')",
      { u: list({ type: 'string', format: 'byte', maxLength: 1000 }) },
      'affordable',
    ],
  ])('of %s is as on a real server', (rule, fields, excess) => {
    expect(excessOf(rule, fields)).toBe(excess);
  });

  test('multiplies by the number of values that a rule validates', () => {
    const rule = "self.matches('^[a-z]+$')";
    const within = (items: JsonSchema, maxItems?: number): readonly string[] =>
      problemsOf(object({ l: list(items, maxItems) }));
    const rulePath = 'properties[l].items.rule: Forbidden: ';
    const [first] = within(ruled(text(), rule));
    expect(first).toBe(`${rulePath}estimated rule cost exceeds budget by factor of more than 100x`);
    expect(within(ruled(text(1000), rule), 10)).toEqual([]);
    expect(within(ruled(text(1000), rule), 100_000)[0]).toBe(
      `${rulePath}estimated rule cost exceeds budget by factor of 8.0x`,
    );
  });

  test('adds up over the whole schema and names the four most expensive rules', () => {
    const item = ruled(text(1000), "self.matches('^[a-z]{1,99}$')");
    const fields = Array.from({ length: 12 }, (_, index) => [
      `f${index}`,
      list(item, 5500 + 10 * index),
    ]);
    const problems = problemsOf(object(Object.fromEntries(fields) as Fields));
    const part =
      'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    expect(problems).toEqual([
      ...[11, 10, 9, 8].map((index) => `properties[f${index}].items.rule: ${part}`),
      ': Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.069893x',
    ]);
  });
});
