import { describe, expect, test } from '@jest/globals';
import { memberObject, memberValue, SourceModule } from './source-module.ts';

function moduleOf(text: string): SourceModule {
  return SourceModule.parse('src/a.ts', text);
}

describe('SourceModule', () => {
  test('inserts below a declaration with its indentation, whatever comments and strings contain', () => {
    const text = [
      "import { createManager } from '@keelson/manager';",
      '// const other = createManager();',
      'export function createOperator(options: Options): Manager {',
      '  const text = `const manager = createManager(${1});`;',
      '  const manager = createManager({ a: /\\)/ } satisfies Options); // the manager',
      '  return manager;',
      '}',
      '',
    ];
    const module = moduleOf(text.join('\n'));
    const [found, ...others] = module.declarationsOf((name) => name === 'createManager');
    expect(others).toEqual([]);
    module.insertBelow(found!.statement, ['first(manager);', '', 'second(manager);']);
    expect(module.text.split('\n')).toEqual([
      ...text.slice(0, 5),
      '  first(manager);',
      '',
      '  second(manager);',
      ...text.slice(5),
    ]);
  });

  test('inserts above a statement and its comments', () => {
    const module = moduleOf('a();\n\n// The last one.\nb();\n');
    module.insertAbove(module.statements[1]!, ['c();', '']);
    expect(module.text).toBe('a();\n\nc();\n\n// The last one.\nb();\n');
  });

  test.each([
    ['f({});', 'f({ a: 1 });'],
    ['f({ b });', 'f({ b, a: 1 });'],
    ['f({ b, });', 'f({ b, a: 1, });'],
    ['f({\n  b: 2,\n});', 'f({\n  b: 2,\n  a: 1,\n});'],
    ['f({\n  b: 2\n});', 'f({\n  b: 2,\n  a: 1\n});'],
    ['f({\n  b: 2, // two\n});', 'f({\n  b: 2, // two\n  a: 1,\n});'],
    ['f({\n  b: 2 // two\n});', 'f({\n  b: 2, // two\n  a: 1\n});'],
    ['f({\n  b: 2 /* two */,\n});', 'f({\n  b: 2,\n  a: 1 /* two */,\n});'],
    ['f({ b: 2 // two\n});', 'f({ b: 2, a: 1 // two\n});'],
  ])('adds a member to the object of %j', (text, expected) => {
    const module = moduleOf(text);
    const [statement] = module.statements;
    const call = statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
    const [object] = call?.type === 'CallExpression' ? call.arguments : [];
    if (object?.type !== 'ObjectExpression') throw new Error('no object');
    module.insertMember(object, 'a: 1');
    expect(module.text).toBe(expected);
  });

  test('imports only the names that are missing, and keeps the ends of the lines', () => {
    const module = moduleOf("import { a, b } from 'x';\r\nimport 'y';\r\nf();\r\n");
    module.import('x', ['a', 'b', 'c']);
    module.import('x', ['a']);
    expect(module.text).toBe(
      "import { a, b } from 'x';\r\nimport 'y';\r\nimport { c } from 'x';\r\nf();\r\n",
    );
  });

  test('imports into a module without imports', () => {
    const module = moduleOf('f();\n');
    module.import('x', ['a']);
    expect(module.text).toBe("import { a } from 'x';\nf();\n");
  });

  test.each([
    ["import type { a } from 'x';\n", "import { a } from 'x';\n"],
    ["import type {a} from 'x';\n", "import {a} from 'x';\n"],
    ["import type { b, a, c as d } from 'x';\n", "import { type b, a, type c as d } from 'x';\n"],
    ["import { b, type a } from 'x';\n", "import { b, a } from 'x';\n"],
    ["import { b } from 'x'; // b\n", "import { b } from 'x'; // b\nimport { a } from 'x';\n"],
    ['#!/usr/bin/env node\nf();\n', "#!/usr/bin/env node\nimport { a } from 'x';\nf();\n"],
    ["'use strict'; // s\nf();\n", "'use strict'; // s\nimport { a } from 'x';\nf();\n"],
    ['\uFEFFf();\n', "\uFEFFimport { a } from 'x';\nf();\n"],
  ])('imports a value into %j', (text, expected) => {
    const module = moduleOf(text);
    module.import('x', ['a']);
    expect(module.text).toBe(expected);
  });

  test('imports several values of one import of types', () => {
    const module = moduleOf("import type { a, b, c } from 'x';\n");
    module.import('x', ['a', 'c']);
    expect(module.text).toBe("import { a, type b, c } from 'x';\n");
  });

  test.each([
    'const a = 1;',
    'const { b, c: { a } } = d;',
    'const [b, a = 1] = d;',
    'const { b, ...a } = d;',
    'enum a { b }',
    'export enum a { b }',
    'namespace a { export const b = 1; }',
    'declare function a(): void;',
    'export default class a {}',
    "import a from 'x';",
    "import { b as a } from 'x';",
    'function a() {}',
    'class a {}',
    "import { a } from 'y';",
    'type a = 1;',
  ])('refuses to import a name that the module uses: %s', (text) => {
    expect(() => moduleOf(text).import('x', ['a'])).toThrow(
      expect.objectContaining({ code: 'NAME_TAKEN', facts: { file: 'src/a.ts', name: 'a' } }),
    );
  });

  test('refuses a module with a syntax error', () => {
    expect(() => moduleOf('const = ;')).toThrow(
      expect.objectContaining({ code: 'MODULE_UNREADABLE' }),
    );
  });

  test('knows exports, relative imports, calls and the names of controllers', () => {
    const module = moduleOf(`
      import { x } from './x.ts';
      import y from 'y';
      export const Website = x.resource;
      export type Page = number;
      export { y as z };
      manager.addController({ name: 'website', for: Website });
      export function f() { void (async () => { await environment.checkRoles(1); })(); }
    `);
    expect([...module.exportedNames]).toEqual(expect.arrayContaining(['Website', 'z', 'f']));
    expect(module.relativeImports).toEqual(['./x.ts']);
    expect(module.calls('checkRoles')).toBe(true);
    expect(module.calls('createManager')).toBe(false);
    expect(module.namesController('website')).toBe(true);
    expect(module.namesController('page')).toBe(false);
  });
});

test('the members of an object literal are found by their names', () => {
  const module = moduleOf("const a = f({ 'b': { c: 1 }, d, ...e });");
  const [declaration] = module.declarationsOf(() => true);
  const object = declaration?.args[0] as Parameters<typeof memberObject>[0];
  expect(memberObject(object, 'b')?.properties).toHaveLength(1);
  expect(memberObject(object, 'd')).toBeUndefined();
  expect(memberValue(object, 'd')?.type).toBe('Identifier');
  expect(memberValue(object, 'e')).toBeUndefined();
});
