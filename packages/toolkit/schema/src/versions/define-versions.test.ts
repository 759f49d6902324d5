import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { defineKind } from '../kind/define-kind.ts';
import { defineSpoke } from './define-spoke.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';
import { defineVersions, type VersionsOptions } from './define-versions.ts';
import { VersionConverter } from './version-converter.ts';

const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets' } as const;

const v1 = defineKind({
  ...names,
  version: 'v1',
  spec: {
    type: 'object',
    required: ['size'],
    properties: { size: { type: 'integer' }, unit: { type: 'string', default: 'cm' } },
  },
});

const v1beta1 = defineKind({
  ...names,
  version: 'v1beta1',
  deprecated: 'shop.example/v1beta1 Widget goes in March; use v1',
  spec: { type: 'object', required: ['length'], properties: { length: { type: 'string' } } },
});

const v1alpha1 = defineKind({
  ...names,
  version: 'v1alpha1',
  served: false,
  deprecated: true,
  spec: { type: 'object', properties: { inches: { type: 'number' } } },
});

const beta = defineSpoke(v1, v1beta1, {
  toHub({ metadata = {}, spec }) {
    const [, size = '0', unit = 'cm'] = /^(\d+)(\w*)$/.exec(spec.length) ?? [];
    return { metadata, spec: { size: Number(size), unit } };
  },
  fromHub: ({ metadata = {}, spec }) => ({
    metadata: { ...metadata, uid: 'changed', labels: { converted: 'yes' } },
    spec: { length: `${spec.size}${spec.unit}` },
  }),
});

const alpha = defineSpoke(v1, v1alpha1, {
  toHub({ spec }) {
    if (spec.inches === undefined) throw new TypeError('no inches');
    return { spec: { size: spec.inches * 2.54, unit: 'cm' } };
  },
  fromHub: ({ spec }) => ({ spec: { inches: spec.size / 2.54 } }),
});

const webhook = { service: { namespace: 'shop', name: 'converter' }, caBundle: 'Cg==' };
const widgets = defineVersions({ hub: v1, spokes: [beta, alpha], conversion: webhook });

const stored = {
  apiVersion: 'shop.example/v1',
  kind: 'Widget',
  metadata: { name: 'a', uid: '1', annotations: { a: 'b' } },
  spec: { size: 3, unit: 'cm' },
};

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return await response.json();
}

const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
const full = {
  ...review,
  request: { uid: '7', desiredAPIVersion: 'shop.example/v1', objects: [] },
};

describe('defineVersions', () => {
  test('joins the versions to one CRD', () => {
    const { conversion, versions } = widgets.crd.spec;
    expect(versions.map((version) => ({ ...version, schema: undefined }))).toEqual([
      { name: 'v1', served: true, storage: true },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'shop.example/v1beta1 Widget goes in March; use v1',
      },
      { name: 'v1alpha1', served: false, storage: false, deprecated: true },
    ]);
    expect(conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig: webhook, conversionReviewVersions: ['v1'] },
    });
  });

  test('the API server accepts the CRD and warns of the deprecated version', async () => {
    await using server = await createApiServer();
    const { crd } = defineVersions({
      hub: v1,
      spokes: [beta, alpha],
      storage: 'v1beta1',
      conversion: 'None',
    });
    const definitions = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    expect(await post(definitions, crd)).toMatchObject({ spec: crd.spec });
    expect(await post(`${definitions}?dryRun=All`, { ...widgets.crd })).toMatchObject({
      reason: 'AlreadyExists',
    });
    await server.idle();
    const url = `${server.url}/apis/shop.example/v1beta1/widgets`;
    const { headers, status } = await fetch(url);
    expect(status).toBe(200);
    expect(headers.get('warning')).toContain('goes in March');
    expect((await fetch(url.replace('v1beta1', 'v1alpha1'))).status).toBe(404);
  });

  const service = { namespace: 'a', name: 'b' };

  test.each<[string, Partial<ConversionWebhook>, string]>([
    ['an address without TLS', { url: 'http://a.example' }, 'url'],
    ['an address with a query', { url: 'https://a.example/?b' }, 'url'],
    ['an address with a user', { url: 'https://a@b.example' }, 'url'],
    ['a Service without a name', { service: { ...service, name: '' } }, 'service.name'],
    [
      'a Service without a namespace',
      { service: { ...service, namespace: '' } },
      'service.namespace',
    ],
    ['a port', { service: { ...service, port: 0 } }, 'service.port'],
    ['a path', { service: { ...service, path: 'convert' } }, 'service.path'],
    ['an empty segment', { service: { ...service, path: '/a//b' } }, 'service.path'],
    ['a certificate in PEM', { service, caBundle: '-----BEGIN' }, 'caBundle'],
  ])('refuses a webhook with %s', (_title, conversion, option) => {
    const joining = (): unknown => defineVersions({ hub: v1, spokes: [], conversion });
    expect(joining).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({
          option: `defineVersions.conversion.${option}`,
        }) as unknown,
      }),
    );
  });

  test('converts through the hub, and keeps metadata apart from labels and annotations', () => {
    const converted = widgets.convert(stored, v1beta1.resource);
    expect(converted).toEqual({
      apiVersion: 'shop.example/v1beta1',
      kind: 'Widget',
      metadata: { name: 'a', uid: '1', labels: { converted: 'yes' }, annotations: { a: 'b' } },
      spec: { length: '3cm' },
    });
    const { length } = converted.spec;
    expect(length).toBe('3cm');
    expect(widgets.convert(converted, v1alpha1.resource).spec.inches).toBeCloseTo(1.18);
    expect(widgets.convert(converted, v1.resource).spec).toEqual(stored.spec);
    expect(widgets.convert(stored, v1.resource)).toEqual(stored);
  });

  test.each<[string, object, string]>([
    ['of another group', { ...stored, apiVersion: 'x/v1' }, 'unknown version'],
    ['of another version', { ...stored, apiVersion: 'shop.example/v2' }, 'unknown version'],
    [
      'that the function refuses',
      { ...stored, apiVersion: 'shop.example/v1alpha1', spec: {} },
      'no inches',
    ],
  ])('fails for an object %s', (_title, object, reason) => {
    expect(() => widgets.convert(object, v1.resource)).toThrow(
      expect.objectContaining({
        code: 'CONVERSION_FAILED',
        facts: expect.objectContaining({
          reason: expect.stringContaining(reason) as unknown,
        }) as unknown,
      }),
    );
  });

  test.each<[string, unknown, string]>([
    ['a promise', Promise.resolve({ spec: {} }), 'no promise'],
    ['nothing', undefined, 'plain object'],
    ['a list', [], 'plain object'],
    ['a text', 'spec', 'plain object'],
    ['a date inside', { spec: { size: new Date(0) } }, 'spec.size is not a JSON value'],
    ['NaN inside', { spec: { size: Number.NaN } }, 'spec.size is not a JSON value'],
  ])('fails for a conversion that returns %s', (_title, result, reason) => {
    const resource = { ...v1.resource, version: 'v1alpha1' };
    const step = (): never => result as never;
    const converter = new VersionConverter(v1.resource, [
      { kind: { resource }, toHub: step, fromHub: step },
    ]);
    const object = { apiVersion: 'shop.example/v1alpha1', metadata: { name: 'a' } };
    expect(() => converter.convert(object, 'v1')).toThrow(
      expect.objectContaining({
        code: 'CONVERSION_FAILED',
        facts: expect.objectContaining({
          reason: expect.stringContaining(reason) as unknown,
        }) as unknown,
      }),
    );
  });

  test('leaves no rejection of an async conversion uncaught', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const step = (): never => Promise.reject(new Error('boom')) as never;
    const resource = { ...v1.resource, version: 'v1alpha1' };
    const steps = { kind: { resource }, toHub: step, fromHub: step };
    const converter = new VersionConverter(v1.resource, [steps]);
    const object = { apiVersion: 'shop.example/v1alpha1', metadata: { name: 'a' } };
    expect(() => converter.convert(object, 'v1')).toThrow('no promise');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test('fails for a version that is not joined', () => {
    const { convert } = defineVersions({ hub: v1, spokes: [], conversion: 'None' });
    expect(() => convert(stored, v1beta1.resource)).toThrow(/unknown version; known are v1\b/);
  });

  test('responds with a failure to a conversion that throws a value without a text', () => {
    const spoke = defineSpoke(v1, v1beta1, {
      toHub() {
        throw Object.create(null);
      },
      fromHub: () => ({ spec: { length: '1' } }),
    });
    const versions = defineVersions({ hub: v1, spokes: [spoke], conversion: webhook });
    const objects = [{ ...stored, apiVersion: 'shop.example/v1beta1', spec: { length: '3cm' } }];
    const { response } = versions.review({ ...full, request: { ...full.request, objects } });
    expect(response?.result).toMatchObject({
      status: 'Failure',
      message: expect.stringContaining('a value without a text was thrown'),
    });
  });

  test('responds to a request of the API server', () => {
    const request = { uid: '7', desiredAPIVersion: 'shop.example/v1beta1', objects: [stored] };
    expect(widgets.review({ ...review, request }).response).toMatchObject({
      uid: '7',
      convertedObjects: [{ apiVersion: 'shop.example/v1beta1', spec: { length: '3cm' } }],
      result: { status: 'Success' },
    });
    const old = { ...stored, apiVersion: 'shop.example/v1alpha1', spec: {} };
    const { response } = widgets.review({
      ...review,
      request: { ...request, objects: [stored, old] },
    });
    expect(response).toMatchObject({
      uid: '7',
      convertedObjects: [],
      result: { status: 'Failure' },
    });
    expect(response.result.message).toContain('no inches');
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no request', review],
    ['no uid', { ...review, request: { desiredAPIVersion: 'shop.example/v1', objects: [] } }],
    ['no objects', { ...review, request: { uid: '7', desiredAPIVersion: 'shop.example/v1' } }],
    ['v1beta1', { ...full, apiVersion: 'apiextensions.k8s.io/v1beta1' }],
    ['no version', { ...full, apiVersion: undefined }],
    ['another kind', { ...full, kind: 'AdmissionReview' }],
  ])('refuses a body of a review that has %s', (_title, body) => {
    expect(() => widgets.review(full)).not.toThrow();
    expect(() => widgets.review(body)).toThrow(
      expect.objectContaining({
        code: 'CONVERSION_FAILED',
        facts: expect.objectContaining({
          reason: 'the body is not a ConversionReview of apiextensions.k8s.io/v1',
        }) as unknown,
      }),
    );
  });

  const other = defineKind({ ...names, version: 'v2', plural: 'others', spec: { type: 'object' } });
  const same = { toHub: () => ({ spec: { size: 1, unit: 'cm' } }), fromHub: () => ({ spec: {} }) };

  test.each<[string, Partial<VersionsOptions>, string]>([
    ['a version twice', { spokes: [beta, beta] as never }, 'spokes[1]'],
    ['other names', { spokes: [defineSpoke(v1, other, same)] as never }, 'spokes[0]'],
    ['a spoke of another hub', { hub: v1beta1 }, 'spokes[0]'],
    ['an unknown storage version', { storage: 'v3' }, 'storage'],
    ['a webhook without an address', { conversion: {} }, 'conversion'],
    ['no conversion', { conversion: undefined as never }, 'conversion'],
  ])('refuses %s', (_title, change, option) => {
    const options = { hub: v1, spokes: [beta], conversion: 'None', ...change } as VersionsOptions;
    expect(() => defineVersions(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `defineVersions.${option}` }) as unknown,
      }),
    );
  });
});
