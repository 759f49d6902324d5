import { expectedTexts, readText, type ReadRule, type SimulatedRead } from '../cache/read-model.ts';
import { Part, Setting, Thing } from '../server/kind.ts';
import type { CacheReader } from '@keelson/informer';
import type { HeldHandle } from '../cache/held-handle.ts';
import type { World } from '../world/world.ts';
import { pick } from '../server/pick.ts';
import type { Actions } from './action.ts';

const reads: readonly SimulatedRead[] = [
  { resource: Thing },
  { resource: Thing, namespace: 'n1' },
  { resource: Thing, namespace: 'n2' },
  { resource: Thing, namespace: 'n1', name: 'a' },
  { resource: Thing, namespace: 'n2', name: 'b' },
  { resource: Thing, labelSelector: 'app=x' },
  { resource: Thing, labelSelector: 'app in (x,y)', namespace: 'n1' },
  { resource: Thing, labelSelector: '!app' },
  { resource: Thing, projection: 'metadata' },
  { resource: Thing, projection: 'metadata', namespace: 'n1', name: 'c' },
  { resource: Thing, app: 'x' },
  { resource: Thing, app: 'y', namespace: 'n1' },
  { resource: Part },
  { resource: Part, labelSelector: 'app=y' },
  { resource: Setting, namespace: 'n2' },
];

/** Reads of the cache and of a scope, which are compared with the handles of the reader. */
export const readActions: Actions = {
  'read of the cache': (world, n) => {
    // The controllers of a manager have handles too, which serve these reads.
    if (world.managed !== undefined) return undefined;
    return check(world, n, { reader: world.cache, handles: world.live, rule: 'covering' });
  },
  'read of a scope': (world, n) => {
    const handles = world.live.filter(({ isScoped }) => isScoped);
    return check(world, n, { reader: world.scope, handles, rule: 'union' });
  },
};

interface Reader {
  readonly reader: CacheReader;
  readonly handles: readonly HeldHandle[];
  readonly rule: ReadRule;
}

function check({ server, report }: World, n: number, { reader, handles, rule }: Reader): string {
  const read = pick(reads, n) ?? { resource: Thing };
  const found = readText(reader, read);
  const expected = expectedTexts(handles, read, rule);
  const { resource, ...selection } = read;
  const text = `${resource.plural} ${JSON.stringify(selection)}: [${found}]`;
  // An object that does not parse is left out until it is fetched again; own writes may be read before their events.
  const isComparable = server.damaged.size === 0 && server.ownWrites.size === 0;
  if (isComparable && !expected.includes(found)) {
    report('reads', `${text}, and its handles have [${expected.join('] or [')}]`);
  }
  return text;
}
