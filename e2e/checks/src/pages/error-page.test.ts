import { describe, expect, test } from '@jest/globals';

import { findErrorProblems, parseErrorPage } from './error-page.ts';
import { parseModule } from '../sources/source-module.ts';

const packages = [
  { name: '@keelson/a', folder: 'packages/a', dependencies: [], devDependencies: [] },
];
const table = `export const aErrors = { LOST: 'it is lost', STUCK: 'it is stuck' } as const;`;
const user = `export const f = () => { throw new CodedError('LOST', aErrors.LOST); };
export const g = () => aErrors.STUCK;`;
const page = `# Errors

## @keelson/a

### \`LOST\`

**Cause.** It was put away.

**Cure.** Look.

### \`STUCK\`

**Cause.** Rust. **Cure.** Oil.
`;

function problems(files: Record<string, string>, text: string): string[] {
  const modules = Object.entries(files).map(([name, source]) =>
    parseModule({ path: `packages/a/src/${name}`, text: source }),
  );
  return findErrorProblems({ packages, modules }, parseErrorPage(text));
}

describe('findErrorProblems', () => {
  test('accepts a page and a table with the same codes', () => {
    expect(problems({ 'errors.ts': table, 'a.ts': user }, page)).toEqual([]);
  });

  test('finds a code that is missing on the page', () => {
    expect(
      problems({ 'errors.ts': table, 'a.ts': user }, page.replace(/### `STUCK`[^]*/, '')),
    ).toEqual(['STUCK is in the table of @keelson/a and not in its section of docs/errors.md']);
  });

  test('finds a code that is missing in the table', () => {
    const shorter = `export const aErrors = { LOST: 'it is lost' } as const;`;
    expect(problems({ 'errors.ts': shorter, 'a.ts': user }, page)).toEqual([
      'STUCK is in its section of docs/errors.md and not in the table of @keelson/a',
    ]);
  });

  test('finds a missing section', () => {
    expect(problems({ 'errors.ts': table, 'a.ts': user }, '# Errors\n')).toHaveLength(2);
  });

  test('finds an entry without its cure', () => {
    expect(
      problems({ 'errors.ts': table, 'a.ts': user }, page.replace('**Cure.** Look.', '')),
    ).toEqual(['LOST has no **Cure.** in docs/errors.md']);
  });

  test('finds a code that no source throws; tests do not count', () => {
    const files = {
      'errors.ts': table,
      'a.ts': `export const f = () => 'LOST';`,
      'a.test.ts': user,
    };
    expect(problems(files, page)).toEqual([
      'STUCK is in the table of @keelson/a and no other source of the package uses it',
    ]);
  });
});
