import { expect, test } from '@jest/globals';
import { tour } from './tour.ts';

test('clusters join, move to another server and break, and the others go their way', async () => {
  const said: string[] = [];
  const { stamps, warnings, refusals } = await tour((line) => void said.push(line));
  expect(stamps).toEqual({
    eu: ['fleet/eu', 'fleet/eu', 'fleet/eu', 'fleet/eu'],
    us: ['fleet/us'],
    next: ['fleet/us'],
  });
  expect([...refusals]).toEqual(['CLUSTER_NOT_LOADED']);
  expect(warnings).toBeLessThan(5);
  expect(said).toHaveLength(10);
});
