import { expect, test } from '@jest/globals';
import { parseModule } from '../sources/source-module.ts';
import { findInnerImports, findUnlistedImports, workspaceFolders } from './unlisted-import.ts';

const module = parseModule({
  path: 'examples/demo/src/main.ts',
  text: "import { a } from 'left-pad/x';\nimport '@keelson/client';\nimport 'node:fs';\nimport './b.ts';\nimport 'jest';",
});
const workspace = { packages: [], rootDevDependencies: ['jest'], modules: [module] };

test('finds an import that no package.json lists, and no other', () => {
  expect(findUnlistedImports(workspace)).toEqual([
    'examples/demo/src/main.ts imports left-pad/x',
    'examples/demo/src/main.ts imports @keelson/client',
  ]);
});

test('finds an import of an example from an inner package', () => {
  expect(findInnerImports(workspace)).toEqual([
    'examples/demo/src/main.ts imports @keelson/client',
  ]);
});

test('knows the workspaces', () => {
  expect(workspaceFolders()).toEqual(
    expect.arrayContaining(['packages/runtime/wire', 'e2e/checks']),
  );
});
