import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { chosenEnvironment } from './chosen-environment.ts';
import { RandomWrites, stepsOf } from './fault-course/random-writes.ts';
import { processFaults, serverFaults } from './fault-course/control-plane-faults.ts';
import { releaseTime, stopTime } from './fault-course/course-time.ts';
import { CourseTable } from './fault-course/course-table.ts';
import { Course, type OtherServer, type Outcome } from './fault-course/course.ts';
import type { Fault } from './fault-course/fault.ts';
import { proxyFaults } from './fault-course/proxy-faults.ts';
import { tunnelFaults } from './fault-course/tunnel-faults.ts';
import { openSuite, testWithControls } from './suite.ts';

const { options, isOurs } = chosenEnvironment();
const suite = openSuite();
const table = new CourseTable();
/** Largest number of watch requests: one at the start, one after the fault, and more for a fault of several parts. */
const MAX_WATCHES = 4;
/** Number of writes: a third before the fault, a third during it and a third after it. */
const steps = 60;

const seeds = [1, 2];
type Row = readonly [name: string, seed: number, fault: Fault];

function rowsOf(faults: readonly Fault[]): Row[] {
  return faults.flatMap((fault) => seeds.map((seed): Row => [fault.name, seed, fault]));
}

describe('the fault course', () => {
  let writes: RandomWrites;
  let other: OtherServer | undefined;

  beforeAll(async () => {
    const namespace = await suite.namespace();
    writes = new RandomWrites(suite.client, namespace);
    await writes.fill();
    if (isOurs) other = await openOther(namespace);
  });

  afterAll(() => console.log(String(table)));

  const openOther = async (namespace: string): Promise<OtherServer> => {
    const environment = await createTestEnvironment(options);
    suite.defer(() => environment.stop());
    const { cluster } = environment.admin;
    const client = createClient({ cluster });
    suite.defer(() => client.close());
    await client.create(builtin.Namespace, { metadata: { name: namespace } });
    return { cluster, writes: new RandomWrites(client, namespace) };
  };

  const run = async (fault: Fault, seed: number): Promise<Outcome> => {
    await using course = await Course.open(
      { suite, writes, other, steps: stepsOf(seed, steps) },
      fault,
    );
    const outcome = await course.run();
    table.add(fault.name, outcome);
    return outcome;
  };

  const check = async (_name: string, seed: number, fault: Fault): Promise<void> => {
    const { complaints, emitted, stored, expected, causes, watches, waited } = await run(
      fault,
      seed,
    );
    expect(complaints).toEqual([]);
    expect(emitted).toEqual(expected);
    expect(stored).toEqual(expected);
    if (!fault.forgets) expect(new Set(causes)).toEqual(new Set(['initial']));
    // The proxy and the server in memory speak only HTTP/1.1.
    const isHttp2 = fault.via === 'tunnel' && options.use !== 'memory';
    const within = (isHttp2 ? fault.withinOverHttp2 : undefined) ?? fault.within;
    expect(waited).toBeLessThanOrEqual(within ?? Infinity);
    expect(watches).toBeLessThanOrEqual(fault.watches ?? MAX_WATCHES);
  };

  describe('with a stopped clock', () => {
    beforeAll(stopTime);
    afterAll(releaseTime);

    test.each(rowsOf([...tunnelFaults, ...proxyFaults]))(
      'SI36 %s, seed %d: no event is lost, invented or emitted twice',
      check,
    );

    testWithControls.each(rowsOf(serverFaults))(
      'SI36 %s, seed %d: no event is lost, invented or emitted twice',
      check,
    );
  });

  testWithControls.each(rowsOf(processFaults))(
    'SI36 %s, seed %d: no event is lost, invented or emitted twice',
    check,
  );
});
