import { describe, expect, test } from '@jest/globals';
import { makeCelLibrary, makePatchLibrary } from '../../compile/cel-library.ts';
import { compileProgram } from '../../compile/compile-expression.ts';
import { dynType, showType } from '../../types/cel-type.ts';
import { isFailed } from '../../values/outcome.ts';

const library = makePatchLibrary();
const variables = new Map([['object', dynType]]);

function compiled(source: string): ReturnType<typeof compileProgram> {
  return compileProgram(library, source, variables, () => undefined);
}

/** The value of an expression as text, or its error, or the first line of the reason why it does not compile. */
function resultOf(source: string): string {
  const program = compiled(source);
  if (typeof program === 'string') return program.split('\n')[0] ?? '';
  const { value } = program.program.evaluate([null]);
  return isFailed(value) ? `error: ${value.message}` : String(value);
}

// Recorded from kube-apiserver 1.36.3, where the mutations of a MutatingAdmissionPolicy have these types.
describe('the messages of patches', () => {
  test.each([
    ['Object{}', 'Object'],
    ['Object.spec.template{a: 1}', 'Object.spec.template'],
    ['[JSONPatch{op: "add", path: "/a", value: Object.a{}}]', 'list(JSONPatch)'],
    ['Object{a: 1}.b', 'dyn'],
    ['JSONPatch{}.op', 'string'],
    ['.Object{?a: optional.none()}', 'Object'],
    ['true ? Object{} : null', 'Object'],
  ])('%s has the type %s', (source, type) => {
    const program = compiled(source);
    expect(typeof program === 'string' ? program : showType(program.type)).toBe(type);
  });

  test.each([
    ['[JSONPatch{foo: 1}]', "1:15: expected type of field 'foo' is '' but provided type is 'int'"],
    [
      'JSONPatch{op: 1}',
      "1:13: expected type of field 'op' is 'string' but provided type is 'int'",
    ],
    ['JSONPatch{?op: "a"}', "1:16: expected type 'optional_type(string)' but found 'string'"],
    ['Objec{}', "1:6: undeclared reference to 'Objec' (in container '')"],
    ['Object{a: Invalid{}}', "1:18: undeclared reference to 'Invalid' (in container '')"],
    ['string{}', "1:7: 'string' is not a message type"],
    ['object{}', "1:7: 'dyn' is not a type"],
    [
      'jsonpatch.escapeKey(1)',
      "1:20: found no matching overload for 'jsonpatch.escapeKey' applied to '(int)'",
    ],
    ['JSONPatch{op "add"}', `1:14: Syntax error: missing ':' at '"add"'`],
    ['JSONPatch{op: "a", "b": 1}', `1:20: Syntax error: mismatched input '"b"' expecting '}'`],
    ['JSONPatch{`op`: "a"}', "1:11: unsupported syntax: '`'"],
  ])('%s does not compile', (source, reason) => {
    expect(resultOf(source)).toBe(`compilation failed: ERROR: <input>:${reason}`);
  });

  test('a message type is not a value', () => {
    const reason = 'program instantiation failed: reference to undefined type: Object.a';
    expect(resultOf('type(Object{}) == Object.a')).toBe(reason);
  });

  test.each([
    ["jsonpatch.escapeKey('a~b/c')", 'a~0b~1c'],
    ['Object{a: 1}.a', '1'],
    ['Object{a: 1}.b', 'null'],
    ['has(Object{a: 1}.b)', 'false'],
    ['Object{}.?a.hasValue()', 'false'],
    ['dyn(Object{a: 1}).a', 'error: no such key: a'],
    ['Object{a: 1} == Object{a: 1}', 'true'],
    ['Object{a: 1} == Object{a: 1.0}', 'false'],
    ['Object{a: [1]} == Object{a: [1]}', 'false'],
    ['dyn(Object.a{}) == Object.b{}', 'false'],
    ['JSONPatch{op: "x", value: [1]} == JSONPatch{op: "x", value: [1]}', 'true'],
    ['JSONPatch{op: "x"} == JSONPatch{op: "y"}', 'false'],
    ['dyn(JSONPatch{op: "x"}).op', 'x'],
    ['dyn(JSONPatch{op: "x"}).other', 'error: unsupported indexer: other'],
    ['Object{?a: optional.of(2)}.a', '2'],
    ['Object{?a: dyn(1)}', "error: cannot initialize optional entry 'a' from non-optional value 1"],
    ['Object{a: 1 / 0}', 'error: division by zero'],
    ['JSONPatch{op: dyn(1)}', "error: unexpected type int64 for JSONPatchType 'op' field"],
  ])('%s is %s', (source, value) => {
    expect(resultOf(source)).toBe(value);
  });

  test('a message costs 40 and its fields', () => {
    const program = compiled('Object{a: object, b: 1}');
    expect(typeof program === 'string' ? program : program.program.evaluate([null]).cost).toBe(41);
  });

  test('rules have no messages', () => {
    const reason = compileProgram(makeCelLibrary(), 'Object{}', variables, () => undefined);
    expect(reason).toContain("undeclared reference to 'Object'");
  });
});
