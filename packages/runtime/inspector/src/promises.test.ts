import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('The package has no dependencies.', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, object>;
  expect(dependencies).toBeUndefined();
  expect(Object.keys(devDependencies ?? {})).toContain('preact');
});
