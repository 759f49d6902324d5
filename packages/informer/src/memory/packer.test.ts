import { describe, expect, test } from '@jest/globals';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { Packer } from './packer.ts';

stopTheClock();

/** A packer of this many objects, and the number of its calls. */
function packing(objects: number): { packer: Packer; calls: () => number } {
  let calls = 0;
  const packer = new Packer({ now: () => 0, packNext: () => ++calls <= objects });
  return { packer, calls: () => calls };
}

describe('Packer', () => {
  test('packs each object a second after the first change, and asks no more when none is left', async () => {
    const { packer, calls } = packing(3);
    packer.startLater();
    packer.startLater();
    await pass(999);
    expect(calls()).toBe(0);
    await pass(1);
    expect(calls()).toBe(4);
    await pass(60_000);
    expect(calls()).toBe(4);
  });

  test('starts again for later objects', async () => {
    const { packer, calls } = packing(0);
    packer.start();
    await pass(0);
    packer.start();
    await pass(0);
    expect(calls()).toBe(2);
  });

  test('does not start after its stop', async () => {
    const { packer, calls } = packing(3);
    packer.startLater();
    packer.stop();
    packer.start();
    packer.startLater();
    await pass(60_000);
    expect(calls()).toBe(0);
  });
});
