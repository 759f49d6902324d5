import { describe, expect, test } from '@jest/globals';
import { CelEnvironment } from '../index.ts';

// One expression of each library without a schema. The tests of CEL rules compare all functions with kube-apiserver.
describe('the libraries', () => {
  const environment = new CelEnvironment();

  test.each([
    // operators and conversions
    '7 / 2 == 3 && -7 % 2 == -1',
    "1 < 2.5 && 2u >= 1 && 'a' + 'b' == 'ab'",
    "int('42') == 42 && double('1.5') == 1.5 && string(3) == '3' && uint(3) == 3u",
    "bytes('é').size() == 2 && 'é'.size() == 1 && string(b'a') == 'a'",
    'type(1) == int && type([]) == list && dyn(1) == 1.0',
    "'b' in ['a', 'b'] && 'k' in {'k': 1} && {'k': 1}['k'] == 1",
    'true ? true : false',
    // macros
    "has({'a': 1}.a) && !has({'a': 1}.b)",
    '[1, 2, 3].exists_one(x, x > 2) && [1, 2].map(x, x * 2) == [2, 4]',
    '[1, 2, 3].filter(x, x % 2 == 1) == [1, 3]',
    "{'a': 1}.all(k, v, k == 'a' && v == 1)",
    // texts
    "'Hello'.lowerAscii() == 'hello' && 'a-b'.replace('-', '+') == 'a+b'",
    "' a '.trim() == 'a' && 'abc'.substring(1, 2) == 'b' && 'abc'.indexOf('c') == 2",
    "['a', 'b'].join('/') == 'a/b' && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
    "'%s %d %.2f'.format(['a', 1, 1.5]) == 'a 1 1.50'",
    // patterns
    "'abc'.matches('^a.c$') && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
    "'a1b22'.find('[0-9]+') == '1'",
    // times
    "duration('1h') > duration('59m') && duration('90s').getMinutes() == 1",
    "timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z') == duration('24h')",
    // lists and sets
    '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3 && [1, 2].isSorted()',
    'sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])',
    // optionals
    "{'a': 1}.?b.orValue(7) == 7 && optional.of(1).hasValue() && !optional.none().hasValue()",
    // addresses
    "ip('10.0.0.1').family() == 4 && isIP('::1') && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
    "url('https://a.example/b?c=d').getHost() == 'a.example' && !isURL('b')",
    // quantities, versions and formats
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('50k').asInteger() == 50000",
    "semver('1.10.0').isGreaterThan(semver('1.9.0')) && isSemver('1.0.0')",
    "!format.dns1123Label().validate('a-b').hasValue()",
  ])('%s', (source) => {
    expect(environment.compile(source, { type: 'bool' }).evaluate().value).toBe(true);
  });

  test.each([
    ["'a' + 1", 'found no matching overload'],
    ["'b'.reverse()", 'found no matching overload'],
    ['cel.bind(a, 1, a)', 'undeclared reference'],
    ["duration('soon')", 'invalid duration argument'],
  ])('do not have %s', (source, words) => {
    expect(() => environment.compile(source)).toThrow(words);
  });

  test.each([
    ["int('x')", 'type conversion error'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ["quantity('x')", 'quantities must match'],
    ["ip('x')", 'IP Address'],
    ['[1][1]', 'index out of bounds'],
  ])('fail on %s', (source, words) => {
    expect(() => environment.compile(source).evaluate()).toThrow(words);
  });
});
