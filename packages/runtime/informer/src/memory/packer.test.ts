import { describe, expect, jest, test } from '@jest/globals';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { Packer } from './packer.ts';

stopTheClock();

/** A packer of this many objects, and the number of its calls. */
function packing(objects: number): { packer: Packer; calls: () => number } {
  let calls = 0;
  const packer = new Packer({ now: () => 0, packNext: () => ++calls <= objects });
  return { packer, calls: () => calls };
}

function fail(): never {
  throw new Error('no memory');
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

  test.each([
    ['throws', (): never => fail()],
    ['rejects', async (): Promise<void> => fail()],
  ])('tries again a second after an attempt that %s, and warns once', async (_, attempt) => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    let calls = 0;
    const packNext = (): boolean | Promise<void> => (++calls <= 2 ? attempt() : calls < 5);
    const packer = new Packer({ now: () => 0, packNext });
    packer.start();
    await pass(0);
    expect(calls).toBe(1);
    await pass(999);
    expect(calls).toBe(1);
    await pass(1);
    expect(calls).toBe(2);
    await pass(1_000);
    expect(calls).toBe(5);
    expect(warned.mock.calls).toEqual([
      [
        expect.stringContaining('no memory'),
        expect.objectContaining({ code: 'COMPRESSION_FAILED' }),
      ],
    ]);
    warned.mockRestore();
  });

  test('does not start after its stop', async () => {
    const { packer, calls } = packing(3);
    packer.startLater();
    packer.stop();
    packer.start();
    packer.startLater();
    expect(jest.getTimerCount()).toBe(0);
    await pass(60_000);
    expect(calls()).toBe(0);
  });
});
