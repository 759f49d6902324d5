import { describe, expect, test } from '@jest/globals';

import { printGuaranteePage } from './guarantee-page.ts';

describe('printGuaranteePage', () => {
  test('has a section for each package with its promises and their tests', () => {
    const page = printGuaranteePage([
      { name: '@keelson/a', folder: 'packages/a', promises: ['Nothing is lost.', 'It ends.'] },
    ]);
    expect(page).toContain(
      '## @keelson/a\n\n- Nothing is lost.\n- It ends.\n\n[tests](../packages/a/src/promises.test.ts)\n',
    );
  });
});
