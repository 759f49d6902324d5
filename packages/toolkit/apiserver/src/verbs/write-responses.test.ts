import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const core = '/api/v1/namespaces/default';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

function service(spec: Json, metadata: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', ...metadata },
    spec: { ports: [{ port: 80 }], ...spec },
  };
}

function fieldsOf(body: Json): string[] {
  return body.details.causes.map(({ field }: Json) => field);
}

// Responses recorded from kube-apiserver 1.36 in random sessions on both servers.
describe('responses of kube-apiserver to writes', () => {
  test('invalid addresses of a Service are reported before other problems', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = { clusterIP: 'nonsense', ports: [{ port: 0 }] };
    const { body } = await client.post(`${core}/services`, service(spec));
    expect(fieldsOf(body)).toEqual(['spec.clusterIPs[0]']);
    await client.post(`${core}/services`, service({}));
    const replaced = await client.put(`${core}/services/s`, service(spec));
    expect(fieldsOf(replaced.body)).toEqual(['spec.clusterIPs[0]']);
  });

  test('a PUT of the status creates a missing Service, without an address', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { code, body } = await client.put(`${core}/services/s/status`, service({}));
    expect(code).toBe(201);
    expect(body.spec.clusterIP).toBeUndefined();
    const missing = await client.patch(`${core}/services/other/status`, 'merge', {});
    expect(missing.code).toBe(404);
  });

  test('an invalid resourceVersion is refused before a Service is created', async () => {
    await using server = await createApiServer();
    const sent = service({}, { resourceVersion: 'x' });
    const { code, body } = await new RawClient(server).put(`${core}/services/s`, sent);
    expect(code).toBe(500);
    expect(body.message).toBe('strconv.ParseUint: parsing "x": invalid syntax');
  });

  test('a Service that is no longer a load balancer loses its ingress addresses', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/services`, service({ type: 'LoadBalancer' }));
    const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } };
    const updated = await client.patch(`${core}/services/s/status`, 'merge', { status });
    expect(updated.body.status.loadBalancer.ingress).toEqual([{ ip: '1.2.3.4', ipMode: 'VIP' }]);
    const { body } = await client.patch(`${core}/services/s`, 'merge', {
      spec: { type: 'ClusterIP' },
    });
    expect(body.status).toEqual({ loadBalancer: {} });
  });

  test('a write of a status validates only the status', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/services`, service({}));
    const status = { conditions: [{ type: 'Ready' }] };
    const { code } = await client.patch(`${core}/services/s/status`, 'merge', { status });
    expect(code).toBe(200);
    const metadata = { labels: { 'bad key!': 'x' } };
    const refused = await client.patch(`${core}/services/s/status`, 'merge', { metadata });
    expect(fieldsOf(refused.body)).toEqual(Array(3).fill('metadata.labels'));
  });

  test('labels in a status write are owned by its manager', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/services`, service({}));
    const { body } = await client.patch(`${core}/services/s/status?fieldManager=m`, 'merge', {
      metadata: { labels: { team: 'a' } },
      status: { conditions: [] },
    });
    expect(body.metadata.labels).toEqual({ team: 'a' });
    const entry = body.metadata.managedFields.find((each: Json) => each.manager === 'm');
    expect(entry.fieldsV1['f:metadata']['f:labels']).toHaveProperty('f:team');
  });

  test('the type of a Secret is validated before its data, and an invalid key pair causes a warning', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const secret = { metadata: { name: 's' }, stringData: { a: 'b' } };
    await client.post(`${core}/secrets`, secret);
    const type = 'kubernetes.io/basic-auth';
    const { body } = await client.patch(`${core}/secrets/s`, 'merge', { type });
    expect(fieldsOf(body)).toEqual(['type', 'data[username]', 'data[password]']);
    const pair = { 'tls.crt': 'x', 'tls.key': 'y' };
    const tls = { ...secret, type: 'kubernetes.io/tls', stringData: pair };
    const { code, headers } = await client.post(`${core}/secrets`, tls);
    expect(code).toBe(409);
    expect(headers.get('warning')).toContain('failed to find any PEM data in certificate input');
  });

  test('a value of the wrong type is reported in the words of its kind of request', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/configmaps`, { metadata: { name: 'm' }, data: { a: 'b' } });
    const strategic = await client.patch(`${core}/configmaps/m`, 'strategic', { data: 7 });
    expect(strategic.code).toBe(422);
    expect(strategic.body.message).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:7]": cannot restore map from int64',
    );
    const applied = await client.patch(`${core}/configmaps/m?fieldManager=m`, 'apply', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      binaryData: { blob: '???' },
    });
    expect(applied.code).toBe(500);
    expect(applied.body.message).toBe(
      'failed to convert new object (/m; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
    );
  });

  test('null in the data of a ConfigMap is stored as an empty value', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const map = { metadata: { name: 'm' }, data: { a: null }, binaryData: { b: null } };
    const { body } = await client.post(`${core}/configmaps`, map);
    expect(body).toMatchObject({ data: { a: '' }, binaryData: { b: '' } });
  });

  test('a body that does not decode is reported without its unknown fields', async () => {
    await using server = await createApiServer();
    const { code, headers } = await new RawClient(server).post(`${core}/configmaps`, {
      metadata: { name: 'm' },
      data: 7,
      unknown: 1,
    });
    expect(code).toBe(400);
    expect(headers.get('warning')).toBeNull();
  });

  test('a strategic patch replaces the selector of a PodDisruptionBudget', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
    await client.post(budgets, { metadata: { name: 'b' }, spec });
    const selector = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
    const { body } = await client.patch(`${budgets}/b`, 'strategic', { spec: { selector } });
    expect(body.spec.selector).toEqual(selector);
    const wrong = {
      metadata: { name: 'c', labels: { 'bad key!': 'x' } },
      spec: { ...spec, minAvailable: -1 },
    };
    expect(fieldsOf((await client.post(budgets, wrong)).body)).toEqual(['spec.minAvailable']);
  });

  test('an empty list of scaling policies gets no defaults', async () => {
    await using server = await createApiServer();
    const spec = {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      behavior: { scaleUp: { policies: [] } },
    };
    const { body } = await new RawClient(server).post(autoscalers, {
      metadata: { name: 'a' },
      spec,
    });
    expect(fieldsOf(body)).toEqual(['spec.behavior.scaleUp.policies']);
  });
});
