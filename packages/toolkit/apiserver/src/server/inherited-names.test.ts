import { describe, expect, test } from '@jest/globals';
import { createApiServer } from './api-server.ts';
import { type Json, type RawResponse, RawClient } from './raw-client.test-support.ts';

const core = '/api/v1/namespaces/default';
const rbac = '/apis/rbac.authorization.k8s.io';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/example.com/v1/namespaces/default/things';
const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' } };
const text = { type: 'string', maxLength: 9 };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const fromBase64 = { k: btoa('y') };

interface Requests {
  readonly client: RawClient;
  readonly word: string;
  /** Creates a kind, and resolves after the server serves it. */
  readonly define: (properties: object, more?: object) => Promise<RawResponse>;
  readonly idle: () => Promise<void>;
}

type Case = readonly [
  name: string,
  send: (requests: Requests) => Promise<RawResponse[]>,
  /** A part of the last response, with `*` in place of the name. */
  expected: object,
];

const cases: readonly Case[] = [
  [
    'a key of the texts of a Secret',
    async ({ client, word }) => [
      await client.post(`${core}/secrets`, {
        metadata: { name: 's' },
        stringData: { [word]: 'x', k: 'y' },
      }),
    ],
    { code: 201, body: { data: { '*': btoa('x'), ...fromBase64 } } },
  ],
  [
    'a key of the texts and the data of a Secret',
    async ({ client, word }) => [
      await client.post(`${core}/secrets`, {
        metadata: { name: 's' },
        data: { [word]: btoa('z') },
        stringData: { [word]: 'x' },
      }),
    ],
    { code: 201, body: { data: { '*': btoa('x') } } },
  ],
  [
    'the type of a condition of a Namespace that is being deleted',
    async ({ client, word, idle }) => {
      const path = '/api/v1/namespaces/full';
      await client.post('/api/v1/namespaces', { metadata: { name: 'full' } });
      const metadata = { name: 'held', finalizers: ['example.com/f'] };
      await client.post(`${path}/configmaps`, { metadata });
      const conditions = [{ type: word, status: 'True' }];
      const patched = await client.patch(`${path}/status`, 'merge', { status: { conditions } });
      await client.delete(path);
      await idle();
      return [patched, await client.get(path)];
    },
    { body: { status: { conditions: { 0: { type: '*', status: 'True' }, length: 6 } } } },
  ],
  [
    'the kind of an object to which a token is bound',
    async ({ client, word }) => {
      await client.post(`${core}/serviceaccounts`, { metadata: { name: 'sa' } });
      const boundObjectRef = { apiVersion: 'v1', kind: word, name: 'p' };
      const spec = { boundObjectRef };
      return [await client.post(`${core}/serviceaccounts/sa/token`, { spec })];
    },
    { code: 400, body: { message: 'cannot bind token to object of type /v1, Kind=*' } },
  ],
  [
    'a resource in the usage of a ResourceQuota',
    async ({ client, word, idle }) => {
      const path = `${core}/resourcequotas`;
      await client.post(path, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
      await idle();
      const status = { used: { [word]: '1' } };
      const patched = await client.patch(`${path}/q/status`, 'merge', { status });
      await idle();
      return [patched, await client.get(`${path}/q`)];
    },
    { body: { status: { hard: { pods: '1' }, used: { pods: '0' } } } },
  ],
  ...(['default', 'defaultRequest', 'max', 'min'] as const).map((member): Case => {
    const causes = { default: 4, defaultRequest: 2, max: 6, min: 4 }[member];
    return [
      `a resource in the member ${member} of a LimitRange`,
      async ({ client, word }) => {
        const limits = [{ type: 'Container', [member]: { [word]: '1' } }];
        const body = { metadata: { name: 'l' }, spec: { limits } };
        return [await client.post(`${core}/limitranges`, body)];
      },
      { code: 422, body: { details: { causes: { length: causes } } } },
    ];
  }),
  [
    'the path to the replicas of a custom resource',
    async ({ client, word, define }) => {
      const paths = { specReplicasPath: `.spec.${word}`, statusReplicasPath: `.status.${word}` };
      const integer = { type: 'object', properties: { [word]: { type: 'integer' } } };
      const subresources = { status: {}, scale: paths };
      const defined = await define({ spec: integer, status: integer }, { subresources });
      const created = await client.post(things, { ...thing, spec: {} });
      await client.patch(`${things}/t`, 'merge', { spec: { [word]: 2 } });
      return [defined, created, await client.get(`${things}/t/scale`)];
    },
    { code: 200, body: { spec: { replicas: 2 } } },
  ],
  [
    'the key of a list with a default',
    async ({ client, word, define }) => {
      const defined = await define({ spec: keyed(word, { default: 'x' }) });
      const spec = { list: [{ n: 1 }] };
      return [
        defined,
        await client.patch(`${things}/t?fieldManager=m`, 'apply', { ...thing, spec }),
      ];
    },
    {
      code: 201,
      body: {
        metadata: {
          managedFields: [
            { fieldsV1: { 'f:spec': { 'f:list': { 'k:{"*":"x"}': { '.': {}, 'f:n': {} } } } } },
          ],
        },
        spec: { list: [{ n: 1, '*': 'x' }] },
      },
    },
  ],
  [
    'the key of a list without a default',
    async ({ client, word, define }) => {
      const defined = await define({ spec: keyed(word, {}, [word]) });
      const spec = { list: [{ n: 1 }] };
      return [
        defined,
        await client.patch(`${things}/t?fieldManager=m`, 'apply', { ...thing, spec }),
      ];
    },
    { body: { message: expect.stringContaining('omits all key fields ["*"]') } },
  ],
  ...(['x', { a: 'b' }] as const).map((value): Case => {
    const type = typeof value;
    return [
      `a property with a default of type ${type}`,
      async ({ client, word, define }) => {
        const open = type === 'object' && { 'x-kubernetes-preserve-unknown-fields': true };
        const property = { type, default: value, ...open };
        const defined = await define({
          spec: { type: 'object', properties: { [word]: property } },
        });
        const created = await client.post(things, { ...thing, spec: {} });
        return [defined, created, await client.get(`${things}/t`)];
      },
      { code: 200, body: { spec: { '*': value } } },
    ];
  }),
  [
    'a new key of a map whose values have a transition rule',
    async ({ client, word, define }) => {
      const rules = [{ rule: 'self == oldSelf' }];
      const values = { ...text, 'x-kubernetes-validations': rules };
      const map = { type: 'object', maxProperties: 9, additionalProperties: values };
      const defined = await define({ spec: map });
      await client.post(things, { ...thing, spec: {} });
      return [defined, await client.patch(`${things}/t`, 'merge', { spec: { [word]: 'a' } })];
    },
    { code: 200, body: { spec: { '*': 'a' } } },
  ],
  [
    'a member without a schema in compared objects',
    async ({ client, word, define }) => {
      const properties = { n: { type: 'integer' } };
      const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties };
      const list = { type: 'array', maxItems: 2, items: free };
      const rules = [{ rule: 'self.list[0] == self.list[1]' }];
      const spec = {
        type: 'object',
        properties: { list },
        'x-kubernetes-validations': rules,
      };
      const defined = await define({ spec });
      const sent = {
        list: [
          { n: 1, [word]: 1 },
          { n: 1, other: 1 },
        ],
      };
      return [defined, await client.post(things, { ...thing, spec: sent })];
    },
    { code: 201 },
  ],
  [
    'the type of a number with a format',
    async ({ word, define }) => [
      await define({
        spec: { type: 'object', properties: { n: { type: word, format: 'int32' } } },
      }),
    ],
    { code: 422 },
  ],
  [
    'a selectable field that an object lacks',
    async ({ client, word, define }) => {
      const defined = await define(
        { spec: { type: 'object' }, [word]: text },
        { selectableFields: [{ jsonPath: `.${word}` }] },
      );
      await client.post(things, { ...thing, spec: {} });
      return [defined, await client.get(`${things}?fieldSelector=${word}%3D`)];
    },
    { code: 200, body: { items: [{ metadata: { name: 't' } }] } },
  ],
  [
    'the kind of the role of a binding',
    async ({ client, word }) => {
      const group = 'rbac.authorization.k8s.io';
      const rules = [{ apiGroups: [group], resources: ['rolebindings'], verbs: ['*'] }];
      await client.post(`${rbac}/v1/clusterroles`, { metadata: { name: 'binder' }, rules });
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'binder' };
      const subjects = [{ kind: 'User', name: 'vera' }];
      const bound = { metadata: { name: 'b' }, roleRef, subjects };
      await client.post(`${rbac}/v1/clusterrolebindings`, bound);
      const body = { ...bound, roleRef: { ...roleRef, kind: word, name: 'a' } };
      const vera = { 'impersonate-user': 'vera' };
      return [await client.post(`${rbac}/v1/namespaces/default/rolebindings`, body, vera)];
    },
    { code: 422 },
  ],
  [
    'an access mode in the status of a claim',
    async ({ client, word }) => {
      const path = `${core}/persistentvolumeclaims`;
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      await client.post(path, { metadata: { name: 'c' }, spec });
      const status = { phase: 'Bound', accessModes: [word] };
      const patched = await client.patch(`${path}/c/status`, 'merge', { status });
      const { code, headers, body } = await client.get(`${path}/c`, table);
      return [patched, { code, headers, text: '', body: body.rows[0].cells.slice(0, 5) }];
    },
    { body: expect.arrayContaining(['*']) },
  ],
  [
    'a resource of a container that is resized',
    async ({ client, word }) => {
      const resources = { requests: { cpu: '1' }, limits: { cpu: '2' } };
      const containers = [{ name: 'c', image: 'i', resources }];
      await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
      const more = { requests: { [word]: '1' }, limits: { [word]: '2' } };
      const spec = { containers: [{ name: 'c', resources: more }] };
      return [await client.patch(`${core}/pods/p/resize`, 'strategic', { spec })];
    },
    { code: 422 },
  ],
  [
    'a resource of two containers, in a namespace with limits and a quota',
    async ({ client, word, idle }) => {
      await client.post(`${core}/resourcequotas`, {
        metadata: { name: 'q' },
        spec: { hard: { 'requests.cpu': '9', pods: '9' } },
      });
      await client.post(`${core}/limitranges`, {
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
      });
      await idle();
      const resources = { requests: { [word]: '1' }, limits: { [word]: '1' } };
      const containers = ['a', 'b'].map((name) => ({ name, image: 'i', resources }));
      const init = { initContainers: [{ name: 'c', image: 'i', resources }] };
      const spec = { containers, ...init, resources };
      return [await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec })];
    },
    { code: 422 },
  ],
  [
    'a part of the path of an operation that does not apply',
    async ({ client, word, idle }) => {
      const admission = '/apis/admissionregistration.k8s.io/v1';
      const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
      const operation = `JSONPatch{op: "replace", path: "/data/${word}/x", value: "v"}`;
      const spec = {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE'] }] },
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[${operation}]` } }],
      };
      const [policies, bindings] = ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'];
      const metadata = { name: 'a' };
      const policy = await client.post(`${admission}/${policies}`, { metadata, spec });
      const bound = { metadata, spec: { policyName: 'a' } };
      const binding = await client.post(`${admission}/${bindings}`, bound);
      await idle();
      const body = { metadata, data: { k: 'y' } };
      return [policy, binding, await client.post(`${core}/configmaps`, body)];
    },
    { code: 403, body: { message: expect.stringContaining('missing path: /data/*/x') } },
  ],
];

/** Each inherited name with an unknown one that sorts beside it. */
const words = [
  ['constructor', 'constructos'],
  ['toString', 'toStrinh'],
  ['__proto__', '__prott__'],
] as const;

describe.each(words)('the name %s, which every object inherits,', (inherited, unknown) => {
  test.each(cases)('is handled as any unknown name: %s', async (_name, send, expected) => {
    const found = await responsesTo(send, inherited);
    expect(found).toEqual(await responsesTo(send, unknown));
    expect(found.at(-1)).toMatchObject(expected);
  });
});

async function responsesTo(send: Case[1], word: string): Promise<Json[]> {
  // The order of managed fields depends on their time.
  await using server = await createApiServer({ now: () => 0 });
  const client = new RawClient(server);
  const idle = (): Promise<void> => server.idle();
  const define: Requests['define'] = async (properties, more = {}) => {
    const defined = await client.post(crds, definition(properties, more));
    await idle();
    return defined;
  };
  const responses = await send({ client, word, define, idle });
  for (const { code } of responses.slice(0, -1)) expect(code).toBeLessThan(300);
  return responses.map(({ code, body }) => {
    const shown = JSON.stringify({ code, body }, withoutUid);
    return JSON.parse(shown.replaceAll(word, '*'));
  });
}

function definition(properties: object, more: object): Json {
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...more }],
    },
  };
}

/** An object with a list whose items have this property as their key. */
function keyed(key: string, more: object, required?: string[]): object {
  const properties = { [key]: { ...text, ...more }, n: { type: 'integer' } };
  const items = { type: 'object', properties, ...(required && { required }) };
  const identity = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] };
  return { type: 'object', properties: { list: { type: 'array', items, ...identity } } };
}

/** Omits the uids, which differ between two servers. */
function withoutUid(name: string, value: unknown): unknown {
  return name === 'uid' ? undefined : value;
}
