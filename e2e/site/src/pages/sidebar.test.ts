import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sitePages } from './sidebar.ts';

const root = join(import.meta.dirname, '../../../..');
const patterns = ['*.md', 'docs/**/*.md', 'packages/*/*/README.md', 'examples/{,*/}README.md'];

describe('the sidebar', () => {
  test('has every page of the documentation, and each once', () => {
    const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] });
    expect(files).toContain('docs/guides/testing.md');
    expect(sitePages().toSorted()).toEqual(files.toSorted());
  });
});
