import { hasCode } from '@keelson/apimachinery';
import type { CacheReader } from '@keelson/informer';
import type { HeldHandle } from '../cache/held-handle.ts';
import { plus } from '../cache/queries.ts';
import { expectedTexts, type ReadRule } from '../cache/read-model.ts';
import { readObjects, readText, type SimulatedRead } from '../cache/simulated-read.ts';
import { StoreTimeline } from '../cache/store-timeline.ts';
import { Part, Setting, Thing } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import { pick } from '../server/pick.ts';
import type { World } from '../world/world.ts';
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
  { resource: Thing, transform: plus.name },
  { resource: Thing, transform: plus.name, namespace: 'n1', labelSelector: 'app=x' },
  { resource: Thing, index: 'list', app: 'x' },
  { resource: Thing, index: 'by', app: 'y', namespace: 'n1' },
  { resource: Thing, index: 'by', app: 'x', projection: 'metadata' },
  { resource: Thing, index: 'namesBy', app: 'x' },
  { resource: Thing, index: 'indexValues' },
  { resource: Thing, index: 'indexValues', namespace: 'n1', labelSelector: 'app!=x' },
  { resource: Part },
  { resource: Part, labelSelector: 'app=y' },
  { resource: Part, owner: 'a' },
  { resource: Part, owner: 'b', namespace: 'n1' },
  { resource: Setting, namespace: 'n2' },
];

/** Lists that one watch serves, without own writes. */
const receivedReads: readonly SimulatedRead[] = [
  { resource: Thing, overlay: false },
  { resource: Thing, overlay: false, namespace: 'n1' },
  { resource: Thing, overlay: false, labelSelector: 'app=x' },
  { resource: Part, overlay: false },
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
  'read without own writes': checkReceived,
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
  const text = `${describe(read)}: [${found}]`;
  // An object that does not parse is left out until it is fetched again.
  if (server.damaged.size === 0 && !expected.includes(found)) {
    report('reads', `${text}, and its handles have [${expected.join('] or [')}]`);
  }
  return text;
}

/** The objects are a state of the server of which all changes were sent. */
function checkReceived({ cache, server, report }: World, n: number): string | undefined {
  const read = pick(receivedReads, n) ?? { resource: Thing };
  const { resource, namespace, labelSelector } = read;
  const shown = receivedBy(cache, read);
  if (shown === undefined || server.damaged.size > 0 || server.number > 0) return undefined;
  const history = server.historyOf(resource);
  const selection = { resource, namespace, labelSelector, fieldSelector: undefined } as const;
  const problem = new StoreTimeline({ ...selection, projection: 'full' }, history).advance(shown);
  if (problem !== undefined) report('own writes', `${describe(read)}: ${problem}`);
  const early = [...shown.values()].find((stamp) => stamp > server.sentUpTo(resource));
  if (early !== undefined) {
    report('own writes', `${describe(read)}: it has state ${early}, which was not sent`);
  }
  return `${describe(read)}: ${shown.size} objects`;
}

function receivedBy(
  cache: CacheReader,
  read: SimulatedRead,
): Map<`${string}/${string}`, number> | undefined {
  try {
    return new Map(
      readObjects(cache, read).map((object) => {
        const { namespace, name } = object.metadata;
        return [`${namespace}/${name}`, stampOf(object)] as const;
      }),
    );
  } catch (error) {
    if (hasCode(error, 'NOT_WATCHED') || hasCode(error, 'NOT_SYNCED')) return undefined;
    throw error;
  }
}

function describe({ resource, ...selection }: SimulatedRead): string {
  return `${resource.plural} ${JSON.stringify(selection)}`;
}
