import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { defineKind } from '../definition/define-kind.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';

const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets' } as const;

const versions = {
  v1: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer' }, unit: { type: 'string', default: 'cm' } },
    },
  },
  v1beta1: {
    deprecated: 'shop.example/v1beta1 Widget goes in March; use v1',
    spec: { type: 'object', required: ['length'], properties: { length: { type: 'string' } } },
  },
  v1alpha1: {
    served: false,
    deprecated: true,
    spec: { type: 'object', properties: { inches: { type: 'number' } } },
  },
} as const;

interface V1 {
  readonly spec: { size: number; unit: string };
}

const from = {
  v1beta1: ({ spec }: { readonly spec: { length: string } }): V1 => {
    const [, size = '0', unit = 'cm'] = /^(\d+)(\w*)$/.exec(spec.length) ?? [];
    return { spec: { size: Number(size), unit } };
  },
  v1alpha1: ({ spec }: { readonly spec: { inches?: number } }): V1 => {
    if (spec.inches === undefined) throw new TypeError('no inches');
    return { spec: { size: spec.inches * 2.54, unit: 'cm' } };
  },
};

const to = {
  v1beta1: ({ spec }: V1) => ({ spec: { length: `${spec.size}${spec.unit}` } }),
  v1alpha1: ({ spec }: V1) => ({ spec: { inches: spec.size / 2.54 } }),
};

const webhook = { service: { namespace: 'shop', name: 'converter' }, caBundle: 'Cg==' };
const convert = { hub: 'v1', from, to } as const;
const widgets = defineKind({ ...names, versions, convert: { ...convert, webhook } });

const stored = {
  apiVersion: 'shop.example/v1',
  kind: 'Widget',
  metadata: { name: 'a', uid: '1', annotations: { a: 'b' } },
  spec: { size: 3, unit: 'cm' },
};

/** The options as a program without types would give them. */
function define(options: object): {
  readonly convert: (object: object, version: string) => object;
} {
  return (defineKind as unknown as (options: object) => typeof widgets)(options) as never;
}

/** Converts to the hub by one function. */
function convertBy(beta: () => unknown, object: object = {}): object {
  const functions = { from: { v1beta1: beta }, to: { v1beta1: to.v1beta1 } };
  const { v1, v1beta1 } = versions;
  const kind = define({
    ...names,
    versions: { v1, v1beta1 },
    convert: { hub: 'v1', ...functions },
  });
  const apiVersion = 'shop.example/v1beta1';
  return kind.convert(
    { apiVersion, metadata: { name: 'a' }, spec: { length: '3cm' }, ...object },
    'v1',
  );
}

function failure(reason: string): unknown {
  return expect.objectContaining({
    code: 'CONVERSION_FAILED',
    facts: expect.objectContaining({ reason: expect.stringContaining(reason) }),
  });
}

const THEN = ['th', 'en'].join('');

function thenable(then: (resolve: () => void, reject: () => void) => void): object {
  return Object.defineProperty({}, THEN, { value: then, enumerable: true });
}

function thrown(text: string): never {
  throw new Error(text);
}

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

describe('a kind with several versions', () => {
  test.each([null, undefined, 'text', 5, {}, { apiVersion: 7 }])(
    'refuses to convert %j',
    (object) => {
      expect(() => widgets.convert(object as never, 'v1')).toThrow(failure('unknown version'));
    },
  );

  test('has one CRD with every version', () => {
    const { conversion, versions: all } = widgets.crd.spec;
    expect(all.map((version) => ({ ...version, schema: undefined }))).toEqual([
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
    const service = { ...webhook.service, path: '/convert/widgets.shop.example' };
    expect(conversion).toEqual({
      strategy: 'Webhook',
      webhook: { clientConfig: { ...webhook, service }, conversionReviewVersions: ['v1'] },
    });
  });

  test('has the token and parse of the hub, and those of each version', () => {
    expect(widgets.hub).toBe('v1');
    expect(widgets.resource).toBe(widgets.versions.v1.resource);
    expect(widgets.versions.v1beta1.resource).toMatchObject({ version: 'v1beta1', kind: 'Widget' });
    expect(widgets.parse({ metadata: { name: 'a' }, spec: { size: 1 } }).spec.unit).toBe('cm');
    const beta = widgets.versions.v1beta1.parse({ metadata: { name: 'a' }, spec: { length: '1' } });
    expect(beta.apiVersion).toBe('shop.example/v1beta1');
    expect(widgets.versions.v1beta1.crd.spec.versions).toHaveLength(1);
  });

  test('keeps the address that the options have, and names a Service for the manifests without one', () => {
    const url = 'https://converter.example/shop';
    const clientConfigOf = (given?: ConversionWebhook): unknown =>
      defineKind({ ...names, versions, convert: { ...convert, ...(given && { webhook: given }) } })
        .crd.spec.conversion?.webhook?.clientConfig;
    expect(clientConfigOf({ url })).toEqual({ url });
    const service = { namespace: 'a', name: 'b', path: '/c', port: 8443 };
    expect(clientConfigOf({ service })).toEqual({ service });
    const path = '/convert/widgets.shop.example';
    expect(clientConfigOf()).toEqual({
      service: { namespace: 'system', name: 'webhook-service', path },
    });
  });

  test('the API server accepts the CRD and warns of the deprecated version', async () => {
    await using server = await createApiServer();
    const { crd } = defineKind({
      ...names,
      versions,
      storage: 'v1beta1',
      convert: { hub: 'v1', strategy: 'None' },
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

  test('converts only apiVersion if the versions have the same schema', () => {
    const kind = defineKind({ ...names, versions, convert: { hub: 'v1', strategy: 'None' } });
    const beta = { ...stored, apiVersion: 'shop.example/v1beta1' };
    expect(kind.convert(stored, 'v1beta1')).toEqual(beta);
    expect(kind.crd.spec.conversion).toEqual({ strategy: 'None' });
  });

  const service = { namespace: 'a', name: 'b' };

  test.each<[string, object, string]>([
    ['no address', {}, ''],
    ['two addresses', { url: 'https://a.example', service }, ''],
    ['an address without TLS', { url: 'http://a.example' }, '.url'],
    ['an address with a query', { url: 'https://a.example/?b' }, '.url'],
    ['an address with a user', { url: 'https://a@b.example' }, '.url'],
    ['a Service that is a text', { service: 'a' }, '.service'],
    ['a Service without a name', { service: { ...service, name: '' } }, '.service.name'],
    [
      'a Service without a namespace',
      { service: { ...service, namespace: '' } },
      '.service.namespace',
    ],
    ['a port', { service: { ...service, port: 0 } }, '.service.port'],
    ['a path', { service: { ...service, path: 'convert' } }, '.service.path'],
    ['an empty segment', { service: { ...service, path: '/a//b' } }, '.service.path'],
    ['a certificate in PEM', { service, caBundle: '-----BEGIN' }, '.caBundle'],
  ])('refuses a webhook with %s', (_title, wrong, option) => {
    expect(() => define({ ...names, versions, convert: { ...convert, webhook: wrong } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `defineKind.convert.webhook${option}` }),
      }),
    );
  });

  test.each<[string, object, string]>([
    ['a version beside the versions', { version: 'v1' }, 'version'],
    ['a spec beside the versions', { spec: {} }, 'spec'],
    ['no versions', { versions: {} }, 'versions'],
    ['versions in a list', { versions: [] }, 'versions'],
    ['a version with a capital', { versions: { V1: versions.v1 } }, 'versions'],
    ['a version that is null', { versions: { ...versions, v1beta1: null } }, 'versions.v1beta1'],
    [
      'an unknown option of a version',
      { versions: { ...versions, v1: { ...versions.v1, storage: true } } },
      'versions.v1.storage',
    ],
    [
      'a column of a version',
      { versions: { ...versions, v1: { ...versions.v1, printColumns: [{}] } } },
      'versions.v1.printColumns[0].name',
    ],
    ['another group', { group: 'shop' }, 'group'],
    ['a text for short names', { shortNames: 'wd' }, 'shortNames'],
    ['a scope', { scope: 'Global' }, 'scope'],
    ['an unknown storage version', { storage: 'v3' }, 'storage'],
    ['no conversion', { convert: undefined }, 'convert'],
    ['a hub that is not declared', { convert: { ...convert, hub: 'v2' } }, 'convert.hub'],
    ['no hub', { convert: { from, to } }, 'convert.hub'],
    ['a strategy', { convert: { ...convert, strategy: 'Hub' } }, 'convert.strategy'],
    [
      'functions without a conversion',
      { convert: { ...convert, strategy: 'None' } },
      'convert.from',
    ],
    ['no functions', { convert: { hub: 'v1', to } }, 'convert.from'],
    [
      'a version that is not converted back',
      { convert: { ...convert, to: { v1beta1: to.v1beta1 } } },
      'convert.to.v1alpha1',
    ],
    [
      'a conversion of the hub',
      { convert: { ...convert, from: { ...from, v1: from.v1beta1 } } },
      'convert.from.v1',
    ],
    [
      'a conversion that is inherited',
      {
        versions: { v1: versions.v1, constructor: versions.v1beta1 },
        convert: { hub: 'v1', from: {}, to: {} },
      },
      'convert.from.constructor',
    ],
    ['an annotation', { convert: { ...convert, keep: 'a/b' } }, 'convert.keep'],
    [
      'an annotation without a domain',
      { convert: { ...convert, keep: { annotation: 'kept' } } },
      'convert.keep.annotation',
    ],
  ])('refuses %s', (_title, change, option) => {
    expect(() => define({ ...names, versions, convert, ...change })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: `defineKind.${option}` }),
      }),
    );
  });

  test('names the version in the path of an invalid schema', () => {
    const spec = { type: 'object', properties: { a: { type: 'text' } } };
    expect(() => define({ ...names, versions: { ...versions, v1: { spec } }, convert })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_INVALID',
        facts: expect.objectContaining({ path: 'defineKind.versions.v1.spec.properties.a.type' }),
      }),
    );
  });
});

describe('a conversion', () => {
  test('goes through the hub, and keeps metadata', () => {
    const converted = widgets.convert(stored, 'v1beta1');
    expect(converted).toEqual({
      apiVersion: 'shop.example/v1beta1',
      kind: 'Widget',
      metadata: stored.metadata,
      spec: { length: '3cm' },
    });
    const { length } = converted.spec;
    expect(length).toBe('3cm');
    expect(widgets.convert(converted, 'v1alpha1').spec.inches).toBeCloseTo(1.18);
    expect(widgets.convert(converted, 'v1').spec).toEqual(stored.spec);
    expect(widgets.convert(stored, 'v1')).toEqual(stored);
    expect(widgets.convert(stored, 'v1')).not.toBe(stored);
  });

  test('may change labels and annotations, and copy the rest of its argument', () => {
    const metadata = { name: 'a', uid: '1' };
    const spec = { size: 1, unit: 'cm' };
    const object = { apiVersion: 'shop.example/v1beta1', kind: 'Widget', metadata };
    expect(
      convertBy(() => ({ ...object, metadata: { ...metadata, labels: { a: 'b' } }, spec }), object),
    ).toEqual({
      apiVersion: 'shop.example/v1',
      kind: 'Widget',
      metadata: { name: 'a', uid: '1', labels: { a: 'b' } },
      spec,
    });
  });

  test('passes integers beyond 2^53 on as numbers', () => {
    const spec = { size: 2 ** 60, unit: 'cm' };
    expect(JSON.stringify(convertBy(() => ({ spec })))).toContain('"size":1152921504606847000');
  });

  test.each<[string, object, string]>([
    ['of another group', { ...stored, apiVersion: 'x/v1' }, 'unknown version'],
    ['of another version', { ...stored, apiVersion: 'shop.example/v2' }, 'unknown version'],
    ['of another kind', { ...stored, kind: 'Gadget' }, 'the kind is Gadget'],
    [
      'that the function refuses',
      { ...stored, apiVersion: 'shop.example/v1alpha1', spec: {} },
      'no inches',
    ],
  ])('fails for an object %s', (_title, object, reason) => {
    expect(() => widgets.convert(object, 'v1')).toThrow(failure(reason));
  });

  test('fails for a version that the kind does not have, which the error names with the object', () => {
    const metadata = { namespace: 'shop', name: 'a' };
    expect(() => widgets.convert({ ...stored, metadata }, 'v2' as 'v1')).toThrow(
      expect.objectContaining({
        facts: {
          kind: 'Widget',
          namespace: 'shop',
          name: 'a',
          from: 'v1',
          to: 'v2',
          reason: 'unknown version; known are v1 v1beta1 v1alpha1',
        },
      }),
    );
  });

  const spec = { size: 1, unit: 'cm' };

  test.each<[string, unknown, string]>([
    ['a promise', Promise.resolve({ spec: {} }), 'no promise'],
    ['a thenable that rejects', thenable((_resolve, reject) => reject()), 'no promise'],
    ['a thenable that throws', thenable(() => thrown('then')), 'no promise'],
    ['nothing', undefined, 'plain object'],
    ['two objects', [{ spec }, { spec }], 'plain object'],
    ['a text', 'spec', 'plain object'],
    ['a date inside', { spec: { size: new Date(0) } }, 'spec.size is not a JSON value'],
    ['NaN inside', { spec: { size: Number.NaN } }, 'spec.size is not a JSON value'],
    ['another name', { metadata: { name: 'b' }, spec }, 'must not change metadata.name'],
    ['a uid', { metadata: { uid: '1' }, spec }, 'must not change metadata.uid'],
    ['finalizers', { metadata: { finalizers: [] }, spec }, 'must not change metadata.finalizers'],
    ['metadata in a text', { metadata: 'a', spec }, 'must not change metadata'],
    [
      'a label that is no text',
      { metadata: { labels: { a: 1 } }, spec },
      'labels[a] must be a text',
    ],
    ['annotations in a list', { metadata: { annotations: ['a'] }, spec }, 'an object of texts'],
    ['another kind', { kind: 'Gadget', spec }, 'must not change kind'],
    ['another version', { apiVersion: 'shop.example/v9', spec }, 'must not change apiVersion'],
  ])('fails if one of its ConversionFunctions returns %s', (_title, result, reason) => {
    expect(() => convertBy(() => result)).toThrow(failure(reason));
  });

  test('leaves no rejection of an async function uncaught', async () => {
    const unhandled: unknown[] = [];
    const listener = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const rejected = (): Promise<never> => Promise.reject(new Error('boom'));
    expect(() => convertBy(rejected)).toThrow('no promise');
    expect(() => convertBy(() => ({ spec: { size: rejected() } }))).toThrow('spec.size');
    const labels = { a: 'a', b: rejected() };
    expect(() => convertBy(() => ({ metadata: { labels }, spec }))).toThrow('labels');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });
});

describe('a conversion review', () => {
  test('has the converted objects', () => {
    const request = { uid: '7', desiredAPIVersion: 'shop.example/v1beta1', objects: [stored] };
    expect(widgets.review({ ...review, request }).response).toMatchObject({
      uid: '7',
      convertedObjects: [{ apiVersion: 'shop.example/v1beta1', spec: { length: '3cm' } }],
      result: { status: 'Success' },
    });
  });

  test('has the error of each object that fails', () => {
    const alpha = { ...stored, apiVersion: 'shop.example/v1alpha1' };
    const objects = [
      { ...alpha, metadata: { name: 'one' }, spec: {} },
      stored,
      { ...alpha, metadata: { name: 'three' }, spec: {} },
    ];
    const request = { uid: '7', desiredAPIVersion: 'shop.example/v1', objects };
    const { response } = widgets.review({ ...review, request });
    expect(response).toMatchObject({
      uid: '7',
      convertedObjects: [],
      result: { status: 'Failure' },
    });
    expect(response.result.message).toMatch(
      /^2 of 3 objects cannot be converted: .*name=one.*no inches.*; .*name=three.*no inches/,
    );
  });

  test('names ten of very many objects that fail', () => {
    const objects = Array.from({ length: 5000 }, () => ({ apiVersion: 'a/v1', metadata: {} }));
    const request = { uid: '7', desiredAPIVersion: 'shop.example/v1', objects };
    const { message = '' } = widgets.review({ ...review, request }).response.result;
    expect(message).toMatch(/^5000 of 5000 objects/);
    expect(message.length).toBeLessThan(4000);
  });

  test('fails if a function throws a value without a text', () => {
    const { v1, v1beta1 } = versions;
    const kind = defineKind({
      ...names,
      versions: { v1, v1beta1 },
      convert: {
        hub: 'v1',
        from: {
          v1beta1() {
            throw Object.create(null);
          },
        },
        to: { v1beta1: to.v1beta1 },
      },
    });
    const objects = [{ ...stored, apiVersion: 'shop.example/v1beta1', spec: { length: '3cm' } }];
    const { response } = kind.review({ ...full, request: { ...full.request, objects } });
    expect(response.result).toMatchObject({
      status: 'Failure',
      message: expect.stringContaining('a value without a text was thrown'),
    });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no request', review],
    ['no uid', { ...review, request: { desiredAPIVersion: 'shop.example/v1', objects: [] } }],
    ['no objects', { ...review, request: { uid: '7', desiredAPIVersion: 'shop.example/v1' } }],
    ['a text as an object', { ...full, request: { ...full.request, objects: ['a'] } }],
    ['v1beta1', { ...full, apiVersion: 'apiextensions.k8s.io/v1beta1' }],
    ['no version', { ...full, apiVersion: undefined }],
    ['another kind', { ...full, kind: 'AdmissionReview' }],
  ])('refuses a body that has %s', (_title, body) => {
    expect(() => widgets.review(full)).not.toThrow();
    expect(() => widgets.review(body)).toThrow(
      failure('the body is not a ConversionReview of apiextensions.k8s.io/v1'),
    );
  });
});
