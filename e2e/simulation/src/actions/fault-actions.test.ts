import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { faultActions } from './fault-actions.ts';

test('the actions are the faults of docs/faults.md', () => {
  const page = readFileSync(new URL('../../../../docs/faults.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| (.+?) \| \d/gm), ([, fault]) => fault);
  expect(rows.length).toBeGreaterThan(30);
  expect(Object.keys(faultActions)).toEqual(rows);
});
