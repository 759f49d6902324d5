import { expect, test } from '@jest/globals';
import { collectGarbage } from './collect-garbage.test-support.ts';

test('waits for the finalizers of other registries, of which V8 runs one registry in each turn', async () => {
  let finalized = 0;
  const registries = Array.from(
    { length: 200 },
    () => new FinalizationRegistry(() => (finalized += 1)),
  );
  for (const registry of registries) registry.register({}, undefined);
  await collectGarbage(() => finalized === registries.length);
  expect(finalized).toBe(registries.length);
});
