import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { codeBlocks, sourcesWithoutBlock, withSources } from './code-block.ts';
import { followedGuides, pages } from './pages.ts';
import { readRegion, readSource } from './region.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

describe('the code in the documentation', () => {
  const blocks = pages(root).flatMap((page) =>
    codeBlocks(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, ...block })),
  );

  test('has blocks to check, also in the README', () => {
    expect(blocks.filter(({ page }) => page === 'README.md')).not.toEqual([]);
  });

  test.each(pages(root))('%s has a block below each comment that names a source', (page) => {
    expect(sourcesWithoutBlock(readFileSync(join(root, page), 'utf8'))).toEqual([]);
  });

  test.each(blocks)('$page:$line is a region of a file that runs in tests', (block) => {
    const { source, code } = block;
    if (source === undefined) throw new Error('the block names no region in a comment above it');
    expect(code).toBe(readSource(root, source));
    expect(followedGuides.includes(block.page) || runsInTests(source.file)).toBe(true);
  });
});

/**
 * True for a test, and for a file that a test of its folder imports or passes to another runner, directly or
 * indirectly.
 */
function runsInTests(file: string): boolean {
  const folder = dirname(join(root, file));
  const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  const reached = new Set(tests.map((name) => join(folder, name)));
  for (const path of reached) {
    for (const next of [...relativeImports(path), ...testsOfOtherRunners(path)]) reached.add(next);
  }
  return reached.has(join(root, file));
}

function relativeImports(path: string): string[] {
  const imports = readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)'/g);
  return [...imports].map(([, to = '']) => join(dirname(path), to));
}

/** Files that a test passes to another test runner by name. */
function testsOfOtherRunners(path: string): string[] {
  const names = readFileSync(path, 'utf8').matchAll(/[\w-]+\.(?:node-test|vitest)\.ts/g);
  return [...names].map(([name]) => join(dirname(path), name));
}

describe('codeBlocks', () => {
  const page = ['a', '<!-- region: x.ts#one -->', '```ts', 'old', '```', '```sh', 'ls', '```'].join(
    '\n',
  );

  test('finds TypeScript with its source and ignores other languages', () => {
    expect(codeBlocks(page)).toEqual([
      { line: 3, code: 'old', length: 1, source: { file: 'x.ts', region: 'one' } },
    ]);
  });

  test('finds a block of any language that names a file', () => {
    const yaml = ['<!-- file: crd.yaml -->', '```yaml', 'kind: A', '```'].join('\n');
    const source = { file: 'crd.yaml', region: undefined };
    expect(codeBlocks(yaml)).toEqual([{ line: 2, code: 'kind: A', length: 1, source }]);
  });

  test('returns no source for a block without a comment', () => {
    expect(codeBlocks('```ts\na\n```')).toEqual([
      { line: 1, code: 'a', length: 1, source: undefined },
    ]);
  });

  test('sourcesWithoutBlock finds a comment whose block was lost', () => {
    expect(sourcesWithoutBlock(page)).toEqual([]);
    expect(sourcesWithoutBlock(page.replace('```ts\n', ''))).toEqual([2]);
  });

  test('withSources replaces only the code', () => {
    const updated = withSources(page, ({ file, region }) => `from ${file}\n${region}`);
    expect(updated).toBe(page.replace('old', 'from x.ts\none'));
    const empty = page.replace('old\n', '');
    expect(withSources(empty, ({ file, region }) => `from ${file}\n${region}`)).toBe(updated);
  });
});

describe('readRegion', () => {
  const self = 'e2e/checks/src/docs/snippets.test.ts';

  test('removes the indentation and the marks of inner regions', () => {
    // #region outer
    const one = 1;
    // #region inner
    const two = one + 1;
    // #endregion
    // #endregion
    expect(readRegion(root, self, 'outer')).toBe('const one = 1;\nconst two = one + 1;');
    expect(readRegion(root, self, 'inner')).toBe('const two = one + 1;');
    expect(two).toBe(2);
  });

  test('reports the file and the missing region', () => {
    expect(() => readRegion(root, self, 'none')).toThrow(`${self} has no region "none"`);
  });

  test('readSource of a whole file removes the marks of its regions', () => {
    const file = 'examples/configmap-generator/src/run.ts';
    expect(readSource(root, { file, region: undefined })).toMatch(/^import [^#]*\.start\(\);$/s);
  });
});
