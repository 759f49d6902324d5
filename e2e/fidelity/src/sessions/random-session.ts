import * as fc from 'fast-check';
import type { Step } from '../step.ts';
import { mergeFragments } from './merge-fragments.ts';
import { metadataParts, nameOf, objectOf, patchOf, pointersOf } from './random-object.ts';
import type { Fragment, SessionKind } from './session-kind.ts';

/** A step without its name, which is the number of the step in the session. */
export type Request = Omit<Step, 'name'>;

const managers = ['alice', 'bob'] as const;
const propagations = ['Foreground', 'Background', 'Orphan'] as const;

/** Generates a session: requests on a few objects of one or two kinds. The same seed generates the same session. */
export function randomSession(kinds: readonly SessionKind[]): fc.Arbitrary<readonly Step[]> {
  return fc
    .shuffledSubarray([...kinds], { minLength: 1, maxLength: Math.min(2, kinds.length) })
    .chain((chosen) => fc.array(fc.constantFrom(...chosen).chain(requestOn), requestCount))
    .map((requests) => requests.map(named));
}

const requestCount = { minLength: 8, maxLength: 24, size: 'max' } as const;

/** Gives a request the number of its step as its name. */
export function named(request: Request, index: number): Step {
  return { name: `${index + 1}`, ...request };
}

/** Generates a request on the objects of a kind. */
export function requestOn(kind: SessionKind): fc.Arbitrary<Request> {
  return fc.oneof(
    { weight: 6, arbitrary: create(kind) },
    { weight: 4, arbitrary: replace(kind) },
    { weight: 5, arbitrary: mergePatch(kind) },
    { weight: 3, arbitrary: strategicPatch(kind) },
    { weight: 2, arbitrary: jsonPatch(kind) },
    { weight: 6, arbitrary: apply(kind) },
    ...(kind.statuses === undefined ? [] : [{ weight: 6, arbitrary: status(kind, kind.statuses) }]),
    ...(kind.scale === true ? [{ weight: 4, arbitrary: scale(kind) }] : []),
    { weight: 2, arbitrary: remove(kind) },
    { weight: 1, arbitrary: removeMany(kind) },
    { weight: 4, arbitrary: read(kind) },
  );
}

/** Query parameters of a write request. */
const writeQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.constant('dryRun=All') },
  { weight: 1, arbitrary: fc.constant('fieldValidation=Strict') },
  { weight: 1, arbitrary: fc.constantFrom('fieldManager=carol', 'dryRun=Some') },
);

function withQuery(path: string, ...queries: readonly string[]): string {
  const query = queries.filter((part) => part !== '').join('&');
  return query === '' ? path : `${path}?${query}`;
}

function create(kind: SessionKind): fc.Arbitrary<Request> {
  return fc.tuple(objectOf(kind), writeQuery).map(([{ body }, query]) => ({
    request: withQuery(`POST ${kind.path}`, query),
    body,
  }));
}

/** A replace request, sometimes with the resourceVersion of an earlier read, which may be old. */
function replace(kind: SessionKind): fc.Arbitrary<Request> {
  return fc
    .tuple(objectOf(kind), writeQuery, fc.boolean())
    .map(([{ name, body }, query, hasVersion]) => ({
      request: withQuery(`PUT ${kind.path}/${name}`, query),
      body: hasVersion
        ? mergeFragments([body, { metadata: { resourceVersion: versionOf(kind, name) } }])
        : body,
    }));
}

function versionOf({ kind }: SessionKind, name: string): string {
  return `\${version${kind}${name}}`;
}

function mergePatch(kind: SessionKind): fc.Arbitrary<Request> {
  return fc.tuple(nameOf, patchOf(kind), writeQuery).map(([name, body, query]) => ({
    request: withQuery(`PATCH ${kind.path}/${name}`, query),
    type: 'merge',
    body,
  }));
}

function strategicPatch(kind: SessionKind): fc.Arbitrary<Request> {
  return mergePatch(kind).map((request) => ({ ...request, type: 'strategic' }));
}

function jsonPatch(kind: SessionKind): fc.Arbitrary<Request> {
  const path = fc.constantFrom(...kind.fragments.flatMap((part) => pointersOf(part)));
  const values = fc.constantFrom<unknown>(null, {}, [], '', 0);
  const op = fc.oneof(
    fc.tuple(fc.constantFrom('add', 'replace', 'test'), path).map(([name, [pointer, value]]) => ({
      op: name,
      path: pointer,
      value,
    })),
    fc.tuple(path, values).map(([[pointer], value]) => ({ op: 'add', path: pointer, value })),
    path.map(([pointer]) => ({ op: 'remove', path: pointer })),
  );
  return fc
    .tuple(nameOf, fc.array(op, { minLength: 1, maxLength: 2 }), writeQuery)
    .map(([name, body, query]) => ({
      request: withQuery(`PATCH ${kind.path}/${name}`, query),
      type: 'jsonpatch',
      body,
    }));
}

function applyQuery(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...managers), fc.boolean())
    .map(([manager, force]) => `fieldManager=${manager}${force ? '&force=true' : ''}`);
}

function apply(kind: SessionKind): fc.Arbitrary<Request> {
  const whole = objectOf(kind);
  const part = fc.tuple(nameOf, patchOf(kind)).map(([name, patch]) => ({
    name,
    body: mergeFragments([
      { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } },
      patch,
    ]),
  }));
  return fc
    .tuple(fc.oneof(whole, part), applyQuery(), writeQuery)
    .map(([{ name, body }, manager, query]) => ({
      request: withQuery(
        `PATCH ${kind.path}/${name}`,
        manager,
        query.replace('fieldManager=carol', ''),
      ),
      type: 'apply',
      body,
    }));
}

/** Writes through `/status`; labels and spec are part of the body to check that the server ignores them. */
function status(kind: SessionKind, statuses: readonly Fragment[]): fc.Arbitrary<Request> {
  const metadata = fc.constantFrom(...metadataParts);
  const aside = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Fragment>({}) },
    { weight: 1, arbitrary: metadata.map((part) => ({ metadata: part })) },
    { weight: 1, arbitrary: fc.constantFrom(...kind.fragments) },
  );
  const content = fc
    .tuple(fc.constantFrom(...statuses), aside)
    .map(([part, more]) => mergeFragments([more, { status: part }]));
  const type = fc.constantFrom('json', 'merge', 'strategic', 'apply');
  return fc
    .tuple(nameOf, content, type, applyQuery(), writeQuery)
    .map(([name, part, kindOfPatch, manager, query]) => {
      const path = `${kind.path}/${name}/status`;
      if (kindOfPatch === 'merge' || kindOfPatch === 'strategic') {
        return { request: withQuery(`PATCH ${path}`, query), type: kindOfPatch, body: part };
      }
      const identity = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
      if (kindOfPatch === 'apply') {
        const body = mergeFragments([identity, part]);
        return { request: withQuery(`PATCH ${path}`, manager), type: 'apply', body };
      }
      return {
        request: withQuery(`PUT ${path}`, query),
        body: mergeFragments([identity, kind.base, part]),
      };
    });
}

function scale(kind: SessionKind): fc.Arbitrary<Request> {
  const replicas = fc.constantFrom<unknown>(0, 1, 2, 5, -1, 'x', null);
  const how = fc.constantFrom('get', 'put', 'merge', 'apply');
  return fc.tuple(nameOf, replicas, how, applyQuery()).map(([name, count, verb, manager]) => {
    const path = `${kind.path}/${name}/scale`;
    const object = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name },
      spec: { replicas: count },
    };
    if (verb === 'get') return { request: `GET ${path}` };
    if (verb === 'put') return { request: `PUT ${path}`, body: object };
    if (verb === 'merge') {
      return { request: `PATCH ${path}`, type: 'merge', body: { spec: { replicas: count } } };
    }
    return { request: withQuery(`PATCH ${path}`, manager), type: 'apply', body: object };
  });
}

function deleteOptions(): fc.Arbitrary<Fragment | undefined> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...propagations)
        .map((propagationPolicy) => ({ propagationPolicy })),
    },
    { weight: 1, arbitrary: fc.constant({ gracePeriodSeconds: 0 }) },
    { weight: 1, arbitrary: fc.constant({ dryRun: ['All'] }) },
    { weight: 1, arbitrary: fc.constant({ preconditions: { resourceVersion: '1' } }) },
    { weight: 1, arbitrary: fc.constant({ propagationPolicy: 'Wrong' }) },
    { weight: 1, arbitrary: fc.constant({ orphanDependents: true }) },
  );
}

function remove(kind: SessionKind): fc.Arbitrary<Request> {
  return fc.tuple(nameOf, deleteOptions()).map(([name, body]) => ({
    request: `DELETE ${kind.path}/${name}`,
    ...(body !== undefined && { body }),
  }));
}

function removeMany(kind: SessionKind): fc.Arbitrary<Request> {
  const query = fc.constantFrom(
    '',
    'labelSelector=team%3Da',
    'fieldSelector=metadata.name%3Done',
    'dryRun=All',
  );
  return fc.tuple(query, deleteOptions()).map(([selection, body]) => ({
    request: withQuery(`DELETE ${kind.path}`, selection),
    ...(body !== undefined && { body }),
  }));
}

function read(kind: SessionKind): fc.Arbitrary<Request> {
  const one = nameOf.map((name): Request => ({
    request: `GET ${kind.path}/${name}`,
    save: { [`version${kind.kind}${name}`]: 'metadata.resourceVersion' },
  }));
  const list = fc
    .constantFrom(
      '',
      'labelSelector=team%3Da',
      'labelSelector=team!%3Da',
      'fieldSelector=metadata.name%3Done',
    )
    .map((query): Request => ({ request: withQuery(`GET ${kind.path}`, query) }));
  const watch = fc.constantFrom('', 'labelSelector=team%3Da').map((query): Request => ({
    request: withQuery(
      `GET ${kind.path}`,
      'watch=1&resourceVersion=${start}&timeoutSeconds=1',
      query,
    ),
    events: 30,
  }));
  return fc.oneof(
    { weight: 6, arbitrary: one },
    { weight: 2, arbitrary: list },
    { weight: 1, arbitrary: watch },
  );
}
