import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { CelError } from '../errors.ts';
import type { Overload } from '../types/function-declaration.ts';
import { CelEnvironment } from './cel-environment.ts';
import { makeCelLibrary } from './cel-library.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** One literal of every kind, and those at the ends of their ranges. */
const literals = [
  'true',
  '1',
  '-9223372036854775808',
  '9223372036854775807',
  '2u',
  '18446744073709551615u',
  '1.5',
  '-1e300',
  "double('NaN')",
  "''",
  "'abc'",
  "'\\U0001F600'",
  "b'\\xff'",
  'null',
  '[]',
  "[dyn(1), dyn('a')]",
  '[1.5]',
  '[optional.none()]',
  '[null]',
  "['x', 'y']",
  '{}',
  "{'a': 1}",
  "{1: 'a'}",
  "duration('1s')",
  "timestamp('0001-01-01T00:00:00Z')",
  'optional.none()',
  'optional.of([1])',
  'int',
  "ip('::1')",
  "cidr('10.0.0.0/8')",
  "quantity('1Gi')",
  "semver('1.2.3')",
  "url('https://a/b')",
  'format.uuid()',
  "'[('",
  "'%s %d %f'",
] as const;

const { functions } = makeCelLibrary();
const overloads = functions.signatures.flatMap((signature): readonly Overload[] => {
  const name = signature.replace(/^[^(]*?([^.(]+)\(.*$/, '$1');
  const named = [
    ...(functions.overloadsOf(name) ?? []),
    ...(functions.overloadsOf(signature.replace(/\(.*$/, '')) ?? []),
  ];
  return named.filter((each) => each.signature === signature && /^[\w.]+$/.test(each.name));
});

const operators = ['+', '-', '*', '/', '%', '<', '>=', '==', '!=', 'in', '&&', '||'];

function callOf({ name, member, parameters }: Overload, args: readonly string[]): string {
  const given = parameters.map((_, index) => `dyn(${args[index % args.length]})`);
  if (!member) return `${name}(${given.join(', ')})`;
  return `${given[0]}.${name}(${given.slice(1).join(', ')})`;
}

const environment = new CelEnvironment();
const literal = fc.constantFrom(...literals);
const args = fc.array(literal, { minLength: 1, maxLength: 4 });

const calls = fc.oneof(
  fc.tuple(fc.constantFrom(...overloads), args).map(([overload, each]) => callOf(overload, each)),
  fc
    .tuple(fc.constantFrom(...operators), literal, literal)
    .map(([operator, one, other]) => `dyn(${one}) ${operator} dyn(${other})`),
  fc.tuple(literal, literal).map(([one, other]) => `dyn(${one})[dyn(${other})]`),
  fc.tuple(literal, literal).map(([one, other]) => `dyn(${one})[?dyn(${other})]`),
  literal.map((one) => `has(dyn(${one}).a)`),
  literal.map((one) => `dyn(${one}).all(x, x == x)`),
  literal.map((one) => `dyn(${one}).transformMap(k, v, v)`),
  literal.map((one) => `{dyn(${one}): 1}`),
  literal.map((one) => `-dyn(${one})`),
  literal.map((one) => `dyn(${one}) ? 1 : 2`),
);

/** Compiles and evaluates an expression; returns the error, which must have a code. */
function errorOf(source: string): CelError | undefined {
  try {
    environment.compile(source).evaluate();
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** The internal errors that kube-apiserver has as well. */
const knownInternalError = /interface conversion|hash of unhashable type/;

function checkCode(source: string): void {
  const reason = String(errorOf(source)?.facts['reason']);
  if (reason.includes('internal error:')) expect(reason).toMatch(knownInternalError);
}

describe('an error of an expression', () => {
  test.each(literals)('has a code, whatever the function that gets %s', (each) => {
    for (const overload of overloads) checkCode(callOf(overload, [each]));
  });

  test('has a code, whatever the function and the types of its arguments', () => {
    fc.assert(fc.property(calls, checkCode), { numRuns: Math.ceil(4000 * multiple) });
  });

  test('has a code, whatever the text of the expression', () => {
    const pieces = fc.constantFrom(
      ...literals,
      ...operators,
      ...'( ) [ ] { } . , : ? ! - " \' ` \\ @ // x has map in 0x 1e r\' b" \n'.split(' '),
    );
    const sources = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(sources, (source) => {
        errorOf(source);
      }),
      { numRuns: Math.ceil(3000 * multiple) },
    );
  });
});
