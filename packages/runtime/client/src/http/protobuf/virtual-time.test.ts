import { expect, test } from '@jest/globals';
import { builtin, systemClock } from '@keelson/apimachinery';
import { ProtobufReads } from './protobuf-reads.ts';

/** Records the work that a client counts, with its end. */
class Recorder {
  readonly steps: string[] = [];

  async run<Result>(name: string, work: (id: string) => Promise<Result>): Promise<Result> {
    this.steps.push(name);
    const result = await work('1');
    this.steps.push(`end of ${name}`);
    return result;
  }

  begin = notUsed;
  wait = notUsed;
  stream = notUsed;
}

function notUsed(): never {
  throw new Error('not used');
}

test('the clock of a test counts the load of the protobuf table, for which a first watch waits', async () => {
  const activity = new Recorder();
  const reads = new ProtobufReads({
    clock: { ...systemClock, activity },
    fetchVersion: () => Promise.resolve({ major: '1', minor: '36' }),
    onRefused: () => undefined,
  });
  const { signal } = new AbortController();
  await reads.formatFor({ resource: builtin.ConfigMap, projection: 'full' }, signal);
  const load = 'the load of the protobuf table';
  // The version of the table is compared first.
  expect(activity.steps).toEqual([load, `end of ${load}`, load, `end of ${load}`]);
});
