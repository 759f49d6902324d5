import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { codeBlocks, withSources } from './code-block.ts';
import { pages } from './pages.ts';
import { readRegion } from './region.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the code in the documentation', () => {
  const blocks = pages(root).flatMap((page) =>
    codeBlocks(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, ...block })),
  );

  test('there is code to check, in the README too', () => {
    expect(blocks.filter(({ page }) => page === 'README.md')).not.toEqual([]);
  });

  test.each(blocks)('$page:$line is a region of a file that runs in tests', (block) => {
    const { source, code } = block;
    if (source === undefined) throw new Error('the block names no region in a comment above it');
    expect(code).toBe(readRegion(root, source.file, source.region));
    expect(runsInTests(source.file)).toBe(true);
  });
});

/** A test itself, or a file beside or below which a test imports it. */
function runsInTests(file: string): boolean {
  if (file.endsWith('.test.ts')) return true;
  const beside = join(root, file.replace(/\.ts$/, '.test.ts'));
  return existsSync(beside) && readFileSync(beside, 'utf8').includes(`'./${baseName(file)}'`);
}

function baseName(file: string): string {
  return file.slice(dirname(file).length + 1);
}

describe('codeBlocks', () => {
  const page = ['a', '<!-- region: x.ts#one -->', '```ts', 'old', '```', '```sh', 'ls', '```'].join(
    '\n',
  );

  test('finds TypeScript with its source and leaves other languages alone', () => {
    expect(codeBlocks(page)).toEqual([
      { line: 3, code: 'old', source: { file: 'x.ts', region: 'one' } },
    ]);
  });

  test('a block without a comment has no source', () => {
    expect(codeBlocks('```ts\na\n```')).toEqual([{ line: 1, code: 'a', source: undefined }]);
  });

  test('withSources replaces the code and nothing else', () => {
    const updated = withSources(page, (file, region) => `from ${file}\n${region}`);
    expect(updated).toBe(page.replace('old', 'from x.ts\none'));
  });
});

describe('readRegion', () => {
  const self = 'e2e/docs/src/snippets.test.ts';

  test('takes the margin and the marks of inner regions away', () => {
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

  test('names the file and the region that is missing', () => {
    expect(() => readRegion(root, self, 'none')).toThrow(`${self} has no region "none"`);
  });
});
