import { describe, expect, test } from '@jest/globals';
import { CelEnvironment } from './cel-environment.ts';
import { CelError } from '../errors.ts';
import type { CelResult } from './result-value.ts';

/** The outcome of an expression: a value with its cost, a failed evaluation, or an expression that does not compile. */
type Expected =
  | { readonly value: CelResult; readonly cost: number }
  | { readonly failed: string }
  | { readonly refused: string };

function gives(value: CelResult, cost: number): Expected {
  return { value, cost };
}

function failed(reason: string): Expected {
  return { failed: reason };
}

function refused(reason: string): Expected {
  return { refused: reason };
}

function decide(source: string): Expected {
  try {
    return new CelEnvironment().compile(source).evaluate();
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    const reason = String(error.facts['reason']);
    if (error.code === 'EVALUATION_FAILED') return failed(reason);
    return refused(reason.replaceAll(/\n \|.*/g, ''));
  }
}

/** Each expectation is the response of Kubernetes' own packages (cel-go 0.26 as Kubernetes 1.36.3 configures it). */
const decisions: Readonly<Record<string, readonly (readonly [string, Expected])[]>> = {
  'a list of dynamic type': [
    ['dyn([1, 2]).sum()', gives(3n, 2)],
    ['dyn([1.5, 2.0]).sum()', gives(3.5, 2)],
    ['dyn([]).sum()', gives(0n, 0)],
    ["[dyn(1), dyn('a')].sum()", failed('no such overload')],
    ['dyn([optional.none()]).sum()', failed('no such overload: sum(list)')],
    ["dyn(['a', 'b']).sum()", failed('no such overload: sum(list)')],
    ["[dyn(1), dyn('a'), dyn(3)].max()", gives(3n, 2)],
    ['[dyn(2), dyn(1u)].min()', gives(1n, 2)],
    ["[dyn(1), dyn('a')].isSorted()", gives(true, 1)],
    ['[dyn(null)].max()', failed('no such overload: max(list)')],
    ["[dyn('b'), dyn(1)].sort()", failed('list elements must have the same type')],
    ['dyn(1).sum()', failed('no such overload: sum(int)')],
    ['dyn({}).flatten()', failed('no such overload: map(dyn, dyn).flatten()')],
    [
      'dyn(1).distinct()',
      failed(
        'internal error: interface conversion: types.Int is not traits.Lister: missing method Contains',
      ),
    ],
    ["[dyn('a'), dyn(1)].join()", failed('join: invalid input: 1')],
    ['[dyn(optional.none()), dyn(1)].unwrapOpt()', failed('value 1 is not optional')],
  ],
  'a call that finds its overload at run time': [
    ["dyn('abc').startsWith('a')", gives(true, 1)],
    ["dyn(1).startsWith('a')", failed('no such overload')],
    ["dyn('a').contains(dyn(1))", failed('no such overload')],
    ["dyn(1) + dyn('a')", failed('no such overload')],
    ['null + dyn(1)', failed('no such overload: _+_')],
    ["dyn('a') - dyn('b')", failed('no such overload')],
    ["-dyn(duration('1s'))", gives('-1s', 1)],
    ['-dyn(true)', failed('no such overload')],
    ['!dyn(1)', failed('no such overload')],
    ["dyn(1) < dyn('a')", failed('no such overload')],
    ['size(dyn(1))', failed('no such overload: size')],
    ["dyn(int).matches('i.*')", gives(true, 1)],
    [
      "dyn('1.2.3.4').containsIP('1.2.3.4')",
      failed('no such overload: containsIP(string, string)'),
    ],
    ['dyn(1) in dyn(2)', failed('no such overload')],
    ["dyn('a').path('b')", failed('no such overload: path(string, string)')],
    [
      'dyn(timestamp(0)).getHours(dyn(1))',
      failed('no such overload: getHours(google.protobuf.Timestamp, int)'),
    ],
  ],
  'a constant that the planner folds': [
    ['[1, 2].size()', gives(2n, 1)],
    ["{'a': 1}.a", gives(1n, 2)],
    ['1 in [1, 2, 3]', gives(true, 0)],
    [
      '9007199254740992.0 in [9007199254740993]',
      refused(
        "ERROR: <input>:1:20: found no matching overload for '@in' applied to '(double, list(int))'",
      ),
    ],
    ['2 in []', gives(false, 0)],
    ["int('7') + 1", gives(8n, 1)],
    ['string(dyn(1u))', gives('1', 0)],
    ["timestamp('2024-01-01T00:00:00Z').getFullYear()", gives(2024n, 1)],
    ['[[1], [2]][dyn(0)]', gives([1n], 2)],
    ['type(1) == int', gives(true, 1)],
  ],
  'a conditional': [
    ['true ? [1][0] : 2', gives(1n, 1)],
    ["false ? 1 : {'a': 2}.a", gives(2n, 1)],
    ["(true ? {'a': 1} : {'b': 2}).a", gives(1n, 1)],
    ['dyn(1) ? 1 : 2', failed('no such overload')],
    ['optional.of(int).optMap(x, 1).hasValue()', refused('reference to undefined type: x')],
  ],
  'the value of an optional': [
    ['optional.of(optional.of(1)).optMap(x, x)', gives(1n, 8)],
    ["optional.of(1).optMap(x, ip('127.0.0.1')).hasValue()", gives(true, 5)],
    [
      "optional.of(1).optMap(x, quantity('1'))",
      failed('unsupported conversion to ref.Val: (*resource.Quantity)1'),
    ],
    ['optional.none().optMap(x, 1)', gives(undefined, 3)],
    ['optional.of([1])[?0]', gives(1n, 3)],
    ['optional.of([1])[5]', gives(undefined, 2)],
    ['optional.of(1).or(optional.of(2))', gives(1n, 1)],
    ['optional.none().value() == 1 || true', gives(true, 3)],
  ],
  'has and the reading of members': [
    ['has(dyn([1]).a)', failed("unsupported index type 'string' in list")],
    ['has(dyn(1).a)', gives(false, 1)],
    ["has({'a': 1}.a)", gives(true, 1)],
    ["[1][dyn('a')]", failed("unsupported index type 'string' in list")],
    ['[1][dyn(0u)]', gives(1n, 2)],
    ['[1][dyn(0.0)]', gives(1n, 2)],
    ['[1][dyn(0.5)]', failed('unsupported index value 0.5 in list')],
    ['[1][1]', failed('index out of bounds: 1')],
    ["{1: 'a'}[dyn(1u)]", gives('a', 2)],
    ["{1: 'a'}[dyn(1.0)]", gives('a', 2)],
    ['dyn(1).a', failed('no such key: a')],
    ['[1][dyn(null)]', refused('invalid qualifier type: types.Null')],
    ["{dyn(1): 'a', dyn(1u): 'b'}.size()", gives(2n, 1)],
    ['dyn([1])[format.date()]', failed('invalid qualifier type: cel.Format')],
  ],
  'a comparison near 2^63': [
    [
      '9223372036854775807 == 9223372036854775808.0',
      refused(
        "ERROR: <input>:1:21: found no matching overload for '_==_' applied to '(int, double)'",
      ),
    ],
    ['dyn(9223372036854775807) == 9223372036854775808.0', gives(true, 1)],
    ['9223372036854775807 < 9223372036854775808.0', gives(false, 1)],
    ['9223372036854775807 >= 9223372036854775807.0', gives(true, 1)],
    ['-9223372036854775808 < -9223372036854775809.0', gives(false, 1)],
    ['18446744073709551615u == dyn(18446744073709551616.0)', gives(true, 1)],
    ['9007199254740993 > 9007199254740992.0', gives(false, 1)],
    ['9223372036854775808u > 9223372036854775807', gives(true, 1)],
  ],
  'an error that an operator ignores': [
    ['1 / 0 == 1 || true', gives(true, 2)],
    ['true || 1 / 0 == 1', gives(true, 0)],
    ['[1, 0].exists(x, 1 / x == 1)', gives(true, 11)],
    ['[0, 1].all(x, 1 / x == 2)', gives(false, 13)],
    ['[0].map(x, 1 / x)', failed('division by zero')],
    ['[0].exists_one(x, 1 / x == 1)', failed('division by zero')],
    ['[1 / 0][0] == 1 || true', gives(true, 13)],
    [
      '[1 / 0].distinct() == [1] || true',
      failed(
        'internal error: interface conversion: *types.Err is not traits.Lister: missing method Add',
      ),
    ],
    ["dyn([0]).all(x, dyn(x) + 'a' == 'a' || true)", gives(true, 8)],
  ],
  'a comprehension': [
    ['[3, 1].map(x, 1)', gives([1n, 1n], 5)],
    ['[3, 1].filter(x, false)', gives([], 1)],
    ["{'a': 1}.transformMap(k, v, v + 1)", gives({ a: 2n }, 6)],
    ['[1].transformMapEntry(i, v, {v: i})', gives({ 1: 0n }, 35)],
    ['[1, 1].transformMapEntry(i, v, {v: i})', failed('insert failed: key 1 already exists')],
    ['dyn(1).all(x, true)', failed("got 'types.Int', expected iterable type")],
    [
      "dyn('a').transformList(i, v, i)",
      failed('unsupported comprehension range type: types.String'),
    ],
    ['[2, 1].sortBy(x, x)', gives([1n, 2n], 48)],
    ['[1].map(x, [2].map(y, x + y))', gives([[3n]], 29)],
  ],
  'a text function': [
    [String.raw`'\uFEFFa\uFEFF'.trim() == '\uFEFFa\uFEFF'`, gives(true, 2)],
    [String.raw`'\u0085a\u2003'.trim()`, gives('a', 1)],
    ["double('1_000')", gives(1000, 0)],
    ["double('0x1p-2')", gives(0.25, 0)],
    [
      "'%.s'.format(['a'])",
      refused(
        'ERROR: <input>:1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      ),
    ],
    [
      "dyn('%.s').format(['a'])",
      failed(
        'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      ),
    ],
    [String.raw`strings.quote('\u0001a"')`, gives('"\u0001a\\""', 1)],
    [String.raw`br'\n'`, gives(Uint8Array.of(92, 110), 0)],
    [String.raw`b'\u00e9'`, refused('ERROR: <input>:1:1: unable to unescape string')],
    ['0xffU', gives(255n, 0)],
    ['99999999999999999999u', refused('ERROR: <input>:1:1: invalid uint literal')],
    ['1e400', refused('ERROR: <input>:1:1: invalid double literal')],
    ['[,].size()', gives(0n, 1)],
    [
      ".has({'a': 1}.a)",
      refused("ERROR: <input>:1:5: undeclared reference to '.has' (in container '')"),
    ],
    ["matches('[', 'a')", refused('ERROR: <input>:1:9: invalid matches argument')],
  ],
  'a time': [
    ["timestamp('0001-01-01T00:00:00Z') - duration('1ns')", failed('timestamp overflow')],
    ["timestamp('0001-01-01T00:00:00Z').getDayOfYear()", gives(0n, 1)],
    ["timestamp('0001-01-01T00:00:00Z').getHours('utc')", failed('unknown time zone utc')],
    ["timestamp('0099-03-01T00:00:00Z').getDayOfYear('+00:00')", gives(59n, 1)],
    ["timestamp('2024-01-01T00:00:00Z').getHours('+2:00')", gives(2n, 1)],
    [
      "timestamp('2024-01-01T00:00:00Z').getMinutes('a:b')",
      failed('strconv.Atoi: parsing "a": invalid syntax'),
    ],
    ["timestamp('2024-01-01T1:00:00Z').getHours()", gives(1n, 1)],
    ["timestamp('2024-07-01T00:00:00Z').getHours('Europe/Vienna')", gives(2n, 1)],
    [
      "timestamp('0001-01-01T00:00:00+01:00')",
      refused('ERROR: <input>:1:11: invalid timestamp argument'),
    ],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", failed('timestamp overflow')],
    ["duration('9223372036s') + duration('1s')", failed('integer overflow')],
    ['timestamp(253402300800)', refused('ERROR: <input>:1:11: invalid timestamp argument')],
    ['duration(1)', refused('ERROR: <input>:1:10: invalid duration argument')],
  ],
  'a value of Kubernetes': [
    ["quantity('Mi').asInteger()", gives(0n, 2)],
    ["quantity('1ki')", failed("unable to parse quantity's suffix")],
    ["quantity('1').sub(-9223372036854775807 - 1).isLessThan(quantity('0'))", gives(true, 5)],
    ["quantity('500m').sub(quantity('0.1n')).asApproximateFloat()", gives(0.49999999900000003, 4)],
    ["quantity('2') == quantity('1').add(1)", failed('no such overload')],
    ["quantity('1').add(1) == quantity('2')", gives(true, 4)],
    ["dyn(ip('::1')) == 1", failed('no such overload')],
    ["dyn(ip('::1')) == 1 || true", gives(true, 3)],
    ["url('HTTPS://h') == url('https://h')", gives(true, 3)],
    ["url('http://h/%2fa!b c').getEscapedPath()", gives('//a%21b%20c', 3)],
    ["isURL('http://h:1:2/')", gives(false, 1)],
    ["isURL('ftp://h:1:2/')", gives(true, 1)],
    ["isURL('http://[x::1]/')", gives(false, 1)],
    ["url('http://u!@h/') == url('http://u%21@h/')", gives(true, 5)],
    ["url('http://[fe80::1%25en0]/').getHost()", gives('[fe80::1%en0]', 4)],
    ["semver('18446744073709551615.0.0').major()", gives(-1n, 4)],
    ["semver('1.2.3-a.b') == semver('1.2.3-a-b')", gives(false, 3)],
    ["string(cidr('10.0.0.0/8'))", gives('10.0.0.0/8', 2)],
  ],
  'a type': [
    ['duration', refused('reference to undefined type: duration')],
    ['type(type)', gives('type', 0)],
    [
      'google.protobuf.Int64Value',
      refused('reference to undefined type: google.protobuf.Int64Value'),
    ],
    ['google.protobuf.Empty', gives('google.protobuf.Empty', 0)],
    [
      '{}.sortBy(x, x)',
      refused(
        'ERROR: <input>:1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      ),
    ],
    ['optional_type', gives('optional_type', 0)],
    [
      // The overload for lists comes before the one for texts, and binds the type of the item.
      "[].all(x, x.indexOf('a') == 0 && x.startsWith('a'))",
      refused(
        "ERROR: <input>:1:46: found no matching overload for 'startsWith' applied to 'list(string).(string)'",
      ),
    ],
    [
      '[list, int]',
      refused("ERROR: <input>:1:8: expected type 'type(list(dyn))' but found 'type(int)'"),
    ],
    [
      "duration('1s') + 1",
      refused(
        "ERROR: <input>:1:16: found no matching overload for '_+_' applied to '(duration, int)'",
      ),
    ],
  ],
};

describe.each(Object.entries(decisions))('%s', (_, rows) => {
  test.each(rows)('decides %s as kube-apiserver does', (source, expected) => {
    expect(decide(source)).toEqual(expected);
  });
});
