import { expect, test } from '@jest/globals';
import { changedSource, type Variant } from './variant.ts';
import { variants } from './variants.ts';

const variant: Variant = {
  name: 'a test',
  package: 'workqueue',
  find: 'return hadEarlyRun\n && now < deadline;',
  replace: 'return false;',
  breaks: ['backoff'],
};

test('a variant changes one place, however its lines are broken', () => {
  const { url, text } = changedSource(variant);
  expect(url).toMatch(/workqueue\/src\/queue\/due-times\.ts$/);
  expect(text).toContain('  return false;\n}\n');
  expect(text).not.toContain('return hadEarlyRun &&');
});

test('a variant whose text is missing, or in several places, is refused', () => {
  expect(() => changedSource({ ...variant, find: 'no such code' })).toThrow('in 0 places');
  expect(() => changedSource({ ...variant, find: 'this.#isEmpty = ' })).toThrow('in one place');
});

test.each(variants)('the code still has the text to replace: $name', (known) => {
  expect(changedSource(known).text).toContain(known.replace);
});
