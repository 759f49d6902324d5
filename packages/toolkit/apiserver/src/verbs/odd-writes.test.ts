import { beforeAll, describe, expect, test } from '@jest/globals';
import { causesOf, type Json } from '../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

const core = '/api/v1/namespaces/default';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

// Recorded from kube-apiserver 1.36.3. Random sessions found these cases.
describe('odd writes', () => {
  const client = clientOfRunningServer();

  beforeAll(async () => {
    const part = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
    };
    const parts = {
      type: 'array',
      items: part,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const spec = { type: 'object', properties: { parts, free } };
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    });
  });

  function widget(name: string, rest: object = {}): Json {
    return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, ...rest };
  }

  test('bytes may be a list of numbers', async () => {
    const map = (name: string, blob: Json): Json => ({ metadata: { name }, binaryData: { blob } });
    const { body } = await client.post(`${core}/configmaps`, map('bytes', [0, null, 255]));
    expect(body.binaryData).toEqual({ blob: 'AAD/' });
    const empty = await client.patch(`${core}/configmaps/bytes`, 'merge', map('bytes', []));
    expect(empty.body.binaryData).toEqual({ blob: '' });
    const refused = await client.post(`${core}/configmaps`, map('objects', [{}]));
    expect([refused.code, refused.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal object into Go struct field ConfigMap.binaryData of type uint8',
    ]);
  });

  test('an apply with another type than boolean prints the value without its Go syntax', async () => {
    const applied = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      immutable: [null],
    };
    const { code, body } = await client.patch(`${core}/secrets/s?fieldManager=m`, 'apply', applied);
    expect([code, body.message]).toEqual([
      500,
      'failed to create typed patch object (/s; /v1, Kind=Secret): .immutable: expected boolean, got &{[<nil>]}',
    ]);
  });

  test('an apply with managedFields null counts as a change', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'timed' } };
    await client.post(`${core}/configmaps`, { ...map, data: { a: 'b' } });
    const path = (manager: string): string => `${core}/configmaps/timed?fieldManager=${manager}`;
    await client.patch(path('one'), 'apply', { ...map, data: { a: 'b' } });
    const metadata = { name: 'timed', managedFields: null };
    const { body } = await client.patch(path('two'), 'apply', {
      ...map,
      metadata,
      data: { a: 'b' },
    });
    const hasTime = body.metadata.managedFields.map(({ manager, time }: Json) => [
      manager,
      time !== undefined,
    ]);
    expect(Object.fromEntries(hasTime)).toMatchObject({ one: false, two: true });
  });

  test('an empty list of managed fields clears those of a built-in kind, not of a custom one', async () => {
    const cleared = { metadata: { managedFields: [] } };
    await client.post(`${core}/configmaps`, { metadata: { name: 'owned' }, data: { a: 'b' } });
    const map = await client.patch(`${core}/configmaps/owned`, 'merge', cleared);
    expect(map.body.metadata.managedFields).toBeUndefined();
    await client.post(widgets, widget('owned', { spec: {} }));
    const custom = await client.patch(`${widgets}/owned`, 'merge', cleared);
    expect(custom.body.metadata.managedFields).toHaveLength(1);
  });

  test('null as the key of a list item is refused by the schema, not by the types of apply', async () => {
    const applied = widget('keyed', { spec: { parts: [{ name: null }] } });
    const response = await client.patch(`${widgets}/keyed?fieldManager=m`, 'apply', applied);
    expect(response.code).toBe(422);
    expect(causesOf(response)).toContain(
      'spec.parts[0].name: Invalid value: "null": spec.parts[0].name in body must be of type string: "null"',
    );
  });

  test('a dry run of an update with another uid names the key without the prefix of the storage', async () => {
    await client.post(`${core}/secrets`, { metadata: { name: 'other' } });
    const object = { metadata: { name: 'other', uid: 'x' } };
    const keyOf = async (query: string): Promise<string | undefined> => {
      const { body } = await client.put(`${core}/secrets/other${query}`, object);
      return /Key: ([^,]*)/.exec(body.message)?.[1];
    };
    expect(await keyOf('')).toBe('/registry/secrets/default/other');
    expect(await keyOf('?dryRun=All')).toBe('/secrets/default/other');
  });

  test('a write of the scale leaves cleared managed fields absent', async () => {
    const sets = '/apis/apps/v1/namespaces/default/replicasets';
    const labels = { app: 'x' };
    await client.post(sets, {
      metadata: { name: 'cleared' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await client.patch(`${sets}/cleared`, 'merge', { metadata: { managedFields: [{}] } });
    await client.patch(`${sets}/cleared/scale`, 'merge', { spec: { replicas: 2 } });
    const { body } = await client.get(`${sets}/cleared`);
    expect(body.spec.replicas).toBe(2);
    expect(body.metadata).not.toHaveProperty('managedFields');
  });

  test('names and targets of ephemeral containers are validated', async () => {
    const ephemeral = { name: 'e', image: 'i' };
    const spec = {
      containers: [{ name: 'c', image: 'i' }],
      ephemeralContainers: [
        ephemeral,
        ephemeral,
        { name: 'c', image: 'i', targetContainerName: 'e' },
      ],
    };
    const response = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    expect(causesOf(response)).toEqual([
      'spec.ephemeralContainers[1].name: Duplicate value: "e"',
      'spec.ephemeralContainers[2].name: Duplicate value: "c"',
      'spec.ephemeralContainers[2].targetContainerName: Not found: "e"',
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ]);
  });

  test('the nameservers, search paths and options of a pod are validated', async () => {
    const dnsConfig = {
      nameservers: ['1.1.1.1', null, '2', '::1'],
      searches: ['a.b.', '.', '_tcp.x', 'A'],
      options: [{ name: 'ndots', value: '2' }, { value: '2' }],
    };
    const spec = { containers: [{ name: 'c', image: 'i' }], dnsConfig };
    const response = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    expect(causesOf(response)).toEqual([
      'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","","2","::1"]: must not have more than 3 nameservers',
      `spec.dnsConfig.nameservers[1]: Invalid value: "": ${address}`,
      `spec.dnsConfig.nameservers[2]: Invalid value: "2": ${address}`,
      `spec.dnsConfig.searches[3]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')`,
      'spec.dnsConfig.options[1]: Required value: must not be empty',
    ]);
  });

  test('an error of a decoder of its own comes before one of a type that stands earlier', async () => {
    const container = { name: 'c', image: [{}], resources: { requests: { cpu: 'abc' } } };
    const { code, body } = await client.post(`${core}/pods`, {
      metadata: { name: 'p' },
      spec: { containers: [container] },
    });
    expect([code, body.message]).toEqual([
      400,
      `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ]);
    const types = { containers: [{ name: 'c', image: [{}], command: 7 }] };
    const second = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: types });
    expect(second.body.message).toMatch(/cannot unmarshal array into .*\.image of type string$/);
  });

  test('an apply with a boolean as an int-or-string has the message of the decoder of the type', async () => {
    const { code, body } = await client.patch(
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets/b?fieldManager=m',
      'apply',
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec: { minAvailable: true },
      },
    );
    expect([code, body.message]).toEqual([
      500,
      'failed to convert new object (/b; policy/v1, Kind=PodDisruptionBudget) to proper version: unable to convert unstructured object to policy/v1, Kind=PodDisruptionBudget: json: cannot unmarshal bool into Go value of type int32',
    ]);
  });

  test('an update with a uid that would create a Service names the uid before the version', async () => {
    const object = {
      metadata: { name: 'none', uid: 'x', resourceVersion: 'wrong' },
      spec: { ports: [{ port: 80 }] },
    };
    const { code, body } = await client.put(`${core}/services/none`, object);
    expect([code, body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on services "none": StorageError: invalid object, Code: 4, Key: /registry/services/specs/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ',
    ]);
  });

  test('an empty path type of an Ingress is unsupported, and a missing one is required', async () => {
    const backend = { service: { name: 'a', port: { number: 80 } } };
    const withType = (type: object): object => {
      const paths = [{ path: '/', backend, ...type }];
      return { metadata: { name: 'typed' }, spec: { rules: [{ http: { paths } }] } };
    };
    const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
    const field = 'spec.rules[0].http.paths[0].pathType';
    expect(causesOf(await client.post(path, withType({ pathType: '' })))).toEqual([
      `${field}: Unsupported value: "": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ]);
    expect(causesOf(await client.post(path, withType({})))).toEqual([
      `${field}: Required value: pathType must be specified`,
    ]);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    [`${core}/endpoints`, '/registry/services/endpoints/default/none'],
    ['/apis/networking.k8s.io/v1/namespaces/default/ingresses', '/registry/ingress/default/none'],
  ])('an update of %s with another uid names the folder of the storage', async (path, key) => {
    const spec = { defaultBackend: { service: { name: 'a', port: { number: 80 } } } };
    await client.post(path, {
      metadata: { name: 'none' },
      ...(key.includes('ingress') && { spec }),
    });
    const { code, body } = await client.put(`${path}/none`, {
      metadata: { name: 'none', uid: 'x' },
    });
    expect(code).toBe(409);
    expect(body.message).toContain(`Key: ${key},`);
  });

  test('the source ranges of a load balancer are validated for every type of Service', async () => {
    const response = await client.post(`${core}/services`, {
      metadata: { name: 'ranged' },
      spec: { ports: [{ port: 80 }], loadBalancerSourceRanges: ['x', ' 10.0.0.0/8 '] },
    });
    expect(causesOf(response)).toEqual([
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ]);
  });

  test('an object that keeps unknown fields must be an object in an apply', async () => {
    const applied = widget('free', { spec: { free: -1 } });
    const { code, body } = await client.patch(`${widgets}/free?fieldManager=m`, 'apply', applied);
    expect([code, body.message]).toEqual([
      500,
      'failed to create typed patch object (/free; example.com/v1, Kind=Widget): .spec.free: expected map, got &{-1}',
    ]);
  });

  test('a scheduling gate without a name has the causes of an empty name', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGates: [{ name: null }] };
    const response = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    const place = 'spec.schedulingGates[0]: Invalid value: "": name part must';
    expect(causesOf(response)).toEqual([
      `${place} be non-empty`,
      expect.stringMatching(
        /^spec\.schedulingGates\[0\]: Invalid value: "": name part must consist/,
      ),
    ]);
  });

  test('an empty eviction policy of a PodDisruptionBudget is not one without a policy', async () => {
    const response = await client.post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      metadata: { name: 'empty' },
      spec: { minAvailable: 1, unhealthyPodEvictionPolicy: '' },
    });
    expect(causesOf(response)).toEqual([
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ]);
  });

  test('a write of an Event in the other group drops the owners of the first', async () => {
    const events = '/apis/events.k8s.io/v1/namespaces/default/events/e';
    const involvedObject = { namespace: 'default' };
    const event = { metadata: { name: 'e' }, involvedObject, reason: 'r', type: 'Normal' };
    await client.post(`${core}/events`, event);
    const versionsAfter = async (path: string, value: string): Promise<Json> => {
      const change = { metadata: { labels: { a: value } } };
      const { body } = await client.patch(path, 'merge', change);
      const { managedFields = [] } = body.metadata;
      return managedFields.map(({ apiVersion }: Json) => apiVersion);
    };
    expect(await versionsAfter(events, '1')).toEqual(['events.k8s.io/v1']);
    expect(await versionsAfter(`${core}/events/e`, '2')).toEqual(['v1']);
    // A write that owns nothing leaves no owner.
    expect(await versionsAfter(events, '2')).toEqual([]);
  });

  test('an empty list that is always written is stored as null, and remains owned', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    const { body } = await client.post(roles, { metadata: { name: 'none' }, rules: [] });
    const [owner] = body.metadata.managedFields;
    expect([body.rules, owner.fieldsV1]).toEqual([null, { 'f:rules': {} }]);
    const put = await client.put(`${roles}/none`, { metadata: { name: 'none' }, rules: [] });
    expect(put.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test('a strategic patch and an apply keep the lower 32 bits of an integer', async () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await client.post(deployments, { metadata: { name: 'd' }, spec });
    const large = { spec: { ...spec, replicas: 2 ** 32 + 3 } };
    const patched = await client.patch(`${deployments}/d`, 'strategic', large);
    expect(patched.body.spec.replicas).toBe(3);
    const applied = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      ...large,
    };
    const path = `${deployments}/d?fieldManager=m&force=true`;
    expect((await client.patch(path, 'apply', applied)).body.spec.replicas).toBe(3);
    expect((await client.patch(`${deployments}/d`, 'merge', large)).code).toBe(422);
  });

  test('a Service without a name gets no address, and an Event of the new group has its causes in order', async () => {
    expect(causesOf(await client.post(`${core}/services`, {}))).toEqual([
      expect.stringMatching(
        /^spec\.clusterIPs: Invalid value: \[""\]: failed to allocate IP: IPAddress\.networking\.k8s\.io "[\d.]+" is invalid: spec\.parentRef\.name: Required value$/,
      ),
    ]);
    const causes = causesOf(
      await client.post('/apis/events.k8s.io/v1/namespaces/default/events', {}),
    );
    expect(causes.map((cause) => cause.split(':')[0])).toEqual([
      'metadata.name',
      'eventTime',
      'type',
    ]);
  });
});
