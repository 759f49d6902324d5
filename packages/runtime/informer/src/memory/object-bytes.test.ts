import { describe, expect, jest, test } from '@jest/globals';
import { jsonFormat } from '@keelson/wire';
import { Compression } from './compression.ts';
import { Growth } from './growth.ts';
import { ObjectBytes } from './object-bytes.ts';
import { SlabPool, type Tenant } from './slab-pool.ts';
import { stopTheClock } from '../testing/stopped-clock.test-support.ts';

const MEBIBYTE = 1024 * 1024;

/** Bytes of objects, as a store keeps them. */
class Bench {
  readonly slabs: SlabPool = new SlabPool();
  readonly compression: Compression = new Compression();
  /** The clock advances with each reading. */
  time = 0;
  readonly bytes: ObjectBytes = new ObjectBytes({
    slabs: this.slabs,
    now: () => (this.time += 1),
    compression: this.compression,
  });

  constructor() {
    this.bytes.retainAs('compressed');
  }

  add(value: object): Tenant {
    return added(this.bytes, value);
  }
}

function added(bytes: ObjectBytes, value: object): Tenant {
  const tenant: Tenant = { slab: undefined, slot: 0 };
  bytes.append(tenant, jsonFormat, Buffer.from(JSON.stringify(value)));
  bytes.settle();
  return tenant;
}

function read({ slab, slot }: Tenant): unknown {
  if (slab === undefined) throw new Error('no bytes');
  const { buffer, from, to } = slab.text(slot);
  return JSON.parse(buffer.toString('utf8', from, to));
}

function isCompressed({ slab }: Tenant): boolean {
  return slab?.encoding.compression !== undefined;
}

/** About 4 KB, mostly the same for all objects of a kind. */
function pod(n: number): object {
  const containers = Array.from({ length: 20 }, (_, at) => ({
    name: `container-${at}`,
    image: `registry.example.com/team/application-${at}:v1.2.3`,
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    terminationMessagePath: '/dev/termination-log',
  }));
  return { metadata: { name: `pod-${n}`, uid: `${n * 7919}-uid` }, spec: { containers } };
}

describe('the bytes of a store', () => {
  stopTheClock();

  async function rest(): Promise<void> {
    jest.advanceTimersByTime(1_000);
    for (let turn = 0; turn < 1_000; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  test('are compressed after a second of rest, and read as they were', async () => {
    const bench = new Bench();
    const tenants = Array.from({ length: 500 }, (_, n) => bench.add(pod(n)));
    const before = bench.bytes.live;
    jest.advanceTimersByTime(999);
    expect(tenants.some(isCompressed)).toBe(false);
    await rest();
    expect(tenants.every(isCompressed)).toBe(true);
    expect(bench.bytes.live).toBeLessThan(before / 20);
    expect(bench.bytes.allocated).toBeLessThan(before / 10);
    for (const [n, tenant] of tenants.entries()) expect(read(tenant)).toEqual(pod(n));
  });

  test('are compressed in slices of 5 ms', async () => {
    const bench = new Bench();
    const tenants = Array.from({ length: 50 }, (_, n) => bench.add(pod(n)));
    jest.advanceTimersByTime(1_000);
    let longest = 0;
    for (let done = 0; done < 50;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = tenants.filter(isCompressed).length;
      longest = Math.max(longest, now - done);
      done = now;
    }
    // The clock of the bench advances a millisecond for each object.
    expect(longest).toBeLessThanOrEqual(6);
    expect(longest).toBeGreaterThan(1);
  });

  test('of a burst wait for their compression up to 16 MiB', () => {
    const bench = new Bench();
    const filler = 'x'.repeat(16_000);
    const tenants = Array.from({ length: 3_000 }, (_, n) => bench.add({ n, filler }));
    expect(bench.bytes.live).toBeLessThan(17 * MEBIBYTE);
    expect(bench.bytes.allocated).toBeLessThan(18 * MEBIBYTE);
    expect(isCompressed(tenants[0] as Tenant)).toBe(true);
    expect(isCompressed(tenants.at(-1) as Tenant)).toBe(false);
    for (const [n, tenant] of tenants.entries()) expect(read(tenant)).toEqual({ n, filler });
  });

  test('of large objects are compressed in another thread, unless they have been freed meanwhile', async () => {
    const bench = new Bench();
    const filler = 'x'.repeat(100_000);
    const [freed, kept] = [bench.add({ n: 1, filler }), bench.add({ n: 2, filler })];
    jest.advanceTimersByTime(1_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
    bench.bytes.discard(freed);
    while (!isCompressed(kept)) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(isCompressed(freed)).toBe(false);
    expect([read(freed), read(kept)]).toEqual([
      { n: 1, filler },
      { n: 2, filler },
    ]);
    expect(bench.bytes.live).toBeLessThan(1_000);
  });

  test('are freed in either form', async () => {
    const bench = new Bench();
    const first = Array.from({ length: 100 }, (_, n) => bench.add(pod(n)));
    await rest();
    const second = Array.from({ length: 100 }, (_, n) => bench.add(pod(n)));
    for (const tenant of [...first, ...second]) bench.bytes.discard(tenant);
    expect(bench.bytes.live).toBe(0);
    expect(bench.bytes.allocated).toBe(0);
    expect(first.map(read)).toEqual(second.map(read));
  });

  test('of a stage are taken over, and read with the same dictionary', async () => {
    const bench = new Bench();
    const before = bench.add(pod(1));
    await rest();
    const stage = bench.bytes.successor();
    const filler = 'x'.repeat(16_000);
    const staged = Array.from({ length: 1_100 }, (_, n) => {
      const tenant: Tenant = { slab: undefined, slot: 0 };
      stage.append(tenant, jsonFormat, Buffer.from(JSON.stringify({ n, filler })));
      return tenant;
    });
    expect(isCompressed(staged[0] as Tenant)).toBe(true);
    const live = bench.bytes.live + stage.live;
    bench.bytes.adopt(stage);
    expect([bench.bytes.live, stage.live]).toEqual([live, 0]);
    await rest();
    expect(staged.every(isCompressed)).toBe(true);
    for (const [n, tenant] of staged.entries()) expect(read(tenant)).toEqual({ n, filler });
    expect(read(before)).toEqual(pod(1));
    bench.bytes.discard(before);
    for (const tenant of staged) bench.bytes.discard(tenant);
    expect(bench.bytes.allocated).toBe(0);
  });

  test('are not compressed any more with another retention, or after the end of the store', async () => {
    const bench = new Bench();
    const tenant = bench.add(pod(1));
    bench.bytes.retainAs('lazy');
    await rest();
    expect(isCompressed(tenant)).toBe(false);
    const ended = new Bench();
    const view = ended.add(pod(2));
    ended.bytes.abandon();
    expect(jest.getTimerCount()).toBe(0);
    await rest();
    expect(read(view)).toEqual(pod(2));
  });

  test('leave their memory for reuse at once when they are compressed', async () => {
    const bench = new Bench();
    const tenants = Array.from({ length: 600 }, (_, n) => bench.add(pod(n)));
    await rest();
    expect(bench.slabs.free).toBeGreaterThan(0);
    expect(bench.slabs.pinned).toBe(0);
    const later = Array.from({ length: 600 }, (_, n) => bench.add(pod(n + 600)));
    for (const [n, tenant] of [...tenants, ...later].entries()) {
      expect(read(tenant)).toEqual(pod(n));
    }
  });

  test('report the growth by each object, as it arrives and as it is moved', () => {
    const grown: number[] = [];
    const bytes = new ObjectBytes({
      slabs: new SlabPool(),
      now: () => 0,
      growth: new Growth(1, (count) => grown.push(count)),
    });
    const json = Buffer.from('{"metadata":{"name":"a"}}');
    const positions = jsonFormat.positions();
    jsonFormat.scan(json, 0, json.length, positions);
    bytes.write({ slab: undefined, slot: 0 }, jsonFormat, json, 0, json.length, positions);
    bytes.append({ slab: undefined, slot: 0 }, jsonFormat, json);
    expect(grown).toEqual([json.length, json.length]);
  });
});
