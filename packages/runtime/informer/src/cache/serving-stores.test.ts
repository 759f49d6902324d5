import { describe, expect, test } from '@jest/globals';
import {
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type DeepReadonly,
  type FieldRequirement,
  type LabelRequirement,
} from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { CacheReader } from './cache-reader.ts';
import { normalQuery } from '../contract/normal-query.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import {
  cacheOf,
  SelectingServer,
  selects,
  thingOf,
} from '../testing/selecting-source.test-support.ts';
import type { NamedTransform, NormalQuery, Projection } from '../contract/watch-query.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** Values of labels and names, including values that no selector of the test contains. */
const apps = [undefined, '', '1', '2', '3', '40', '0', '02'];
const spaces = ['n1', 'n2', 'n3', 'n4', 'n5'];
const names = ['a', 'b', 'c', 'd', 'e'];

const labelSelectors = `
  app=1; app=2; app in (1,2); app in (1,2,3); app!=1; app!=2; app notin (1,2); app; !app; app>1; app>2; app<3
  app,app!=1; app in (1,2),app!=1; tier=1; tier; app=1,tier=1; app,tier!=1; app=1,!tier; app>1,app<3; app=`
  .split(/[;\n]/)
  .map((text) => text.trim());
const fieldSelectors = `
  metadata.name=a; metadata.name!=a; metadata.name=b; metadata.namespace=n1; metadata.namespace!=n1
  metadata.name=a,metadata.namespace=n2; metadata.name!=a,metadata.name!=b; spec.node=x; spec.node!=y`
  .split(/[;\n]/)
  .map((text) => text.trim());
const marked: NamedTransform<Thing> = {
  name: 'marked',
  apply: (object) => ({ ...object, spec: { ...object.spec, value: 9 } }),
};

const objects = spaces.slice(0, 3).flatMap((namespace, i) =>
  names.slice(0, 3).map((name, j) => {
    const [app, tier] = [apps[(i * 3 + j) % apps.length], ['1', '2', undefined][(i + j) % 3]];
    const labels = {
      ...(app === undefined ? {} : { app }),
      ...(tier === undefined ? {} : { tier }),
    };
    return thingOf(namespace, name, { labels, node: ['x', 'y'][(i * j) % 2] ?? '' });
  }),
);

interface Held {
  readonly query: NormalQuery;
  readonly transform: string | undefined;
  readonly scope: number;
  readonly isSynced: boolean;
  readonly isReleased: boolean;
}

/** Scope 0 is the cache itself. */
interface Asked {
  readonly scope: number;
  readonly namespace: string | undefined;
  /** The name of a `get`; `undefined` for a list. */
  readonly name: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly projection: Projection;
  readonly transform: string | undefined;
}

const anyNamespace = fc.constantFrom(undefined, undefined, 'n1', 'n2');
const anyProjection = fc.constantFrom<Projection[]>('full', 'full', 'full', 'metadata');
const anyTransform = fc.constantFrom(undefined, undefined, undefined, 'marked');
const scopes = fc.constantFrom(0, 1, 2);

const anyHeld = fc
  .record({
    namespace: anyNamespace,
    labelSelector: fc.constantFrom('', ...labelSelectors),
    fieldSelector: fc.constantFrom('', '', ...fieldSelectors),
    projection: anyProjection,
    transform: anyTransform,
    scope: scopes,
    isSynced: fc.constantFrom(true, true, true, false),
    isReleased: fc.constantFrom(false, false, false, true),
  })
  .filter((handle) => !isContradictory(requirementsOf({ ...handle, name: undefined })));
const anyForm = { scope: scopes, projection: anyProjection, transform: anyTransform };
const anyRead: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({
    ...anyForm,
    namespace: fc.constantFrom('n1', 'n2'),
    name: fc.constantFrom('a', 'b', 'c'),
    labelSelector: fc.constant(''),
    fieldSelector: fc.constant(''),
  }),
  fc.record({
    ...anyForm,
    namespace: anyNamespace,
    name: fc.constant(undefined),
    labelSelector: fc.constantFrom('', ...labelSelectors),
    fieldSelector: fc.constantFrom('', ...fieldSelectors),
  }),
);

/**
 * The label requirements of a read or a watch, and its field requirements including name and
 * namespace.
 */
function requirementsOf(asked: Partial<Omit<Asked, 'transform'>>): {
  labels: readonly LabelRequirement[];
  fields: readonly FieldRequirement[];
} {
  const { namespace, name } = asked;
  const equal = (path: string, value: string): FieldRequirement => ({ path, operator: '=', value });
  return {
    labels: parseLabelSelector(asked.labelSelector ?? ''),
    fields: [
      ...parseFieldSelector(asked.fieldSelector ?? ''),
      ...(namespace === undefined ? [] : [equal('metadata.namespace', namespace)]),
      ...(name === undefined ? [] : [equal('metadata.name', name)]),
    ],
  };
}

function meets(value: string | undefined, { operator, value: wanted }: FieldRequirement): boolean {
  return (value === wanted) === (operator === '=');
}

/** True if the watch selects every label value that the read allows, for each requirement. */
function coversLabels(
  read: readonly LabelRequirement[],
  watch: readonly LabelRequirement[],
): boolean {
  return watch.every((wanted) => {
    const same = read.filter(({ key }) => key === wanted.key);
    return apps
      .map((value) => (value === undefined ? {} : { [wanted.key]: value }))
      .every((labels) => !matchesLabels(same, labels) || matchesLabels([wanted], labels));
  });
}

function valuesOf(path: string): readonly string[] {
  if (path === 'metadata.name') return names;
  return path === 'metadata.namespace' ? spaces : [];
}

function coversFields(
  read: readonly FieldRequirement[],
  watch: readonly FieldRequirement[],
): boolean {
  return watch.every((wanted) => {
    const same = read.filter(({ path }) => path === wanted.path);
    const values = valuesOf(wanted.path);
    const isSaid = same.some((given) => JSON.stringify(given) === JSON.stringify(wanted));
    if (values.length === 0) return isSaid;
    return values
      .filter((value) => same.every((given) => meets(value, given)))
      .every((value) => meets(value, wanted));
  });
}

/** True if the read and the watch can have a name and a namespace in common. */
function reaches(read: readonly FieldRequirement[], watch: readonly FieldRequirement[]): boolean {
  return ['metadata.name', 'metadata.namespace'].every((path) => {
    const both = [...read, ...watch].filter((requirement) => requirement.path === path);
    return valuesOf(path).some((value) => both.every((requirement) => meets(value, requirement)));
  });
}

/** The result of a read by the rules of the design. */
function expected(held: readonly Held[], asked: Asked): unknown {
  const read = requirementsOf(asked);
  const able = held.filter(({ query, transform, scope, isReleased }) => {
    const { namespace, labelSelector = '', fieldSelector = '', projection } = query;
    const watch = requirementsOf({ namespace, labelSelector, fieldSelector });
    const isWide = projection === 'full' || asked.projection === 'metadata';
    if (isReleased || !isWide) return false;
    if (asked.scope === 0) {
      const isCovered =
        coversLabels(read.labels, watch.labels) && coversFields(read.fields, watch.fields);
      return isCovered && transform === asked.transform;
    }
    const isOwn = scope === asked.scope;
    const isForm = asked.transform === undefined || transform === asked.transform;
    return isOwn && isForm && reaches(read.fields, watch.fields);
  });
  if (able.length === 0) return 'NOT_WATCHED';
  const synced = able.filter(({ isSynced }) => isSynced);
  if (synced.length === 0) return 'NOT_SYNCED';
  const found = objects.flatMap((object) => {
    const watching = synced.filter(({ query }) => selects(query, object));
    if (watching.length === 0 || !isAsked(asked, object)) return [];
    const isMarked = watching.every(({ transform }) => transform !== undefined);
    return [textOf(object, asked.projection === 'full' && isMarked)];
  });
  return found.length === 0 && isHidden(held, able, asked) ? 'NOT_WATCHED' : found.toSorted();
}

/** True if a full get in a scope names an object that only other handles of the scope select. */
function isHidden(held: readonly Held[], able: readonly Held[], asked: Asked): boolean {
  if (asked.scope === 0 || asked.name === undefined || asked.projection !== 'full') return false;
  const own = held.filter(
    ({ scope, isSynced, isReleased }) => scope === asked.scope && isSynced && !isReleased,
  );
  return objects
    .filter((object) => isAsked(asked, object) && own.some(({ query }) => selects(query, object)))
    .some(({ metadata }) =>
      able.every(
        ({ query: { labelSelector = '' } }) =>
          !matchesLabels(parseLabelSelector(labelSelector), metadata?.labels),
      ),
    );
}

function isAsked({ namespace, name, labelSelector, fieldSelector }: Asked, object: Thing): boolean {
  const query = normalQuery({
    resource: Thing,
    labelSelector,
    fieldSelector,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return selects(query, object) && (name === undefined || object.metadata?.name === name);
}

function textOf(
  { metadata }: { readonly metadata?: DeepReadonly<Thing>['metadata'] },
  isMarked: boolean,
): string {
  return `${metadata?.namespace}/${metadata?.name}${isMarked ? ' marked' : ''}`;
}

/** A selector that no object can match is covered by every watch, without a rule. */
function isContradictory({ labels, fields }: ReturnType<typeof requirementsOf>): boolean {
  return (
    !reaches(fields, []) ||
    ['app', 'tier'].some((key) => {
      const same = labels.filter((requirement) => requirement.key === key);
      return !apps.some((value) =>
        matchesLabels(same, value === undefined ? {} : { [key]: value }),
      );
    })
  );
}

function outcome(reader: CacheReader, asked: Asked): unknown {
  const { namespace, name, labelSelector, fieldSelector, projection, transform } = asked;
  const form = { projection, ...(transform === undefined ? {} : { transform }) };
  try {
    const found: readonly (DeepReadonly<Thing> | undefined)[] =
      name === undefined
        ? reader.list(Thing, { namespace, labelSelector, fieldSelector, ...form })
        : [reader.get(Thing, { namespace, name }, form)];
    return found
      .flatMap((object) => (object === undefined ? [] : [textOf(object, object.spec?.value === 9)]))
      .toSorted();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

function without<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(object).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}

describe('which stores serve a read', () => {
  const outcomes = {
    exact: ['NOT_SYNCED', 'NOT_WATCHED', 'objects'],
    // A view syncs with the watch that serves it, so no query of this test stays unsynced.
    views: ['NOT_WATCHED', 'objects'],
  };
  const modes = ['exact', 'views'] as const;
  test.each(modes)('any handles (%s) and any reads agree with a simple model', async (sharing) => {
    const any = [
      fc.array(anyHeld, { maxLength: 6 }),
      fc.array(anyRead, { maxLength: 12 }),
    ] as const;
    const seen = new Map<string, number>();
    const isSilent = (handle?: { isSynced: boolean }): boolean =>
      sharing === 'exact' && handle?.isSynced === false;
    await fc.assert(
      fc.asyncProperty(...any, async (handles, reads) => {
        const server = new SelectingServer(objects);
        await using cache = cacheOf(server);
        const readers = [cache, cache.scope(), cache.scope()];
        const queries = handles.map(
          ({
            transform,
            scope: _scope,
            isSynced: _isSynced,
            isReleased: _isReleased,
            ...query
          }) => ({
            resource: Thing,
            ...without(query),
            sharing,
            ...(transform === undefined ? {} : { transform: marked }),
          }),
        );
        const texts = queries.map((query) => JSON.stringify(normalQuery(query)));
        const silent = new Set(texts.filter((_, at) => isSilent(handles[at])));
        server.isSilent = (query) => silent.has(JSON.stringify(query));
        const held = handles.map((handle, at): Held => ({
          ...handle,
          query: normalQuery(queries[at] ?? { resource: Thing }),
          isSynced: !silent.has(texts[at] ?? ''),
        }));
        const acquired = held.map(({ scope }, at) =>
          (readers[scope] ?? cache).acquire(queries[at] ?? { resource: Thing }, { owner: `${at}` }),
        );
        await Promise.all(
          acquired.filter((_, at) => held[at]?.isSynced === true).map(({ synced }) => synced),
        );
        for (const [at, handle] of acquired.entries())
          if (held[at]?.isReleased === true) handle.release();
        for (const asked of reads) {
          if (isContradictory(requirementsOf(asked))) continue;
          const result = outcome(readers[asked.scope] ?? cache, asked);
          const rule = expected(held, asked);
          // Compares texts first, because an `expect` costs more than the read.
          if (String(result) !== String(rule))
            expect({ asked, result }).toEqual({ asked, result: rule });
          const kind = typeof result === 'string' ? result : 'objects';
          seen.set(`${asked.scope === 0 ? 'cache' : 'scope'} ${kind}`, 1);
        }
      }),
      { numRuns: Math.ceil(500 * multiple) },
    );
    const met = [...seen.keys()].toSorted();
    const possible = ['cache', 'scope'].flatMap((scope) =>
      outcomes[sharing].map((kind) => `${scope} ${kind}`),
    );
    // A sample of the runs may miss some.
    expect(possible).toEqual(multiple < 1 ? expect.arrayContaining(met) : met);
  });
});
