import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { issueCertificate, type IssuedCertificate } from '@keelson/x509';
import { readProject } from '../../project/project.ts';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import type { Outcome } from '../runner/check-runner.ts';
import { conversionsCheck } from './conversions.ts';

const sized = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
};
const wide = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { width: { type: 'integer' } } } },
};

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

const namespace = 'operator';
const service = { namespace, name: 'operator-webhook' };
const host = 'operator-webhook.operator.svc';

function definition(schemas: readonly object[], conversion?: object): KubernetesObject {
  const versions = schemas.map((schema, index) =>
    versionWith(schema, { name: `v${index + 1}`, storage: index === 0 }),
  );
  const made = definitionWith(versions) as KubernetesObject & { readonly spec: object };
  return { ...made, spec: { ...made.spec, ...(conversion && { conversion }) } } as KubernetesObject;
}

function webhook(caBundle?: string, change: object = {}): object {
  const encoded = caBundle && Buffer.from(caBundle).toString('base64');
  const clientConfig = {
    service: { ...service, path: '/convert', ...change },
    ...(encoded && { caBundle: encoded }),
  };
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
}

const deployed: readonly KubernetesObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: service,
    spec: { ports: [{ port: 443, targetPort: 9443 }] },
  } as KubernetesObject,
];

function slice(ready: boolean): KubernetesObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
    ports: [{ port: 9443 }],
  } as KubernetesObject;
}

function secret(cert: string): KubernetesObject {
  const data = { 'tls.crt': Buffer.from(cert).toString('base64'), 'tls.key': '' };
  const type = 'kubernetes.io/tls';
  return { apiVersion: 'v1', kind: 'Secret', metadata: service, type, data } as KubernetesObject;
}

describe('the check of conversions', () => {
  let folder: string;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-conversions-'));
    await mkdir(join(folder, 'config/crd'), { recursive: true });
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'operator', version: '1.0.0' }),
    );
    server = await createApiServer();
    client = createClient({ cluster: { server: server.url } });
  });

  afterEach(async () => {
    await client.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function check(
    inCluster: readonly KubernetesObject[],
    inProject?: KubernetesObject,
  ): Promise<readonly Outcome[]> {
    if (inProject !== undefined) {
      await writeFile(join(folder, 'config/crd/widgets.json'), JSON.stringify(inProject));
    }
    for (const object of inCluster) {
      if (object.kind !== builtin.CustomResourceDefinition.kind) server.seed([object]);
      else {
        const options = { force: true, fieldManager: 'test' };
        await client.apply(builtin.CustomResourceDefinition, object as Definition, options);
      }
      await server.idle();
    }
    const { outcomes } = await conversionsCheck(client, await readProject(folder)).run(
      AbortSignal.timeout(60_000),
    );
    return outcomes;
  }

  /** Checks a definition that the project has too. */
  async function problem(
    own: KubernetesObject,
    ...others: readonly KubernetesObject[]
  ): Promise<string> {
    const [outcome] = await check([own, ...others], own);
    expect(outcome?.status).toBe('failed');
    expect(outcome?.cure).toBeDefined();
    return outcome?.detail ?? '';
  }

  test('accepts a definition with one version, and versions with the same schema', async () => {
    expect(await check([definition([sized])])).toEqual([
      { status: 'ok', detail: 'no definition needs one' },
    ]);
    expect(await check([definition([sized, sized])], definition([sized, sized]))).toMatchObject([
      { status: 'ok' },
    ]);
  });

  test('names the field that a version without a conversion loses', async () => {
    expect(await problem(definition([sized, wide]))).toBe(
      'widgets.shop.example has no conversion, and v2 lacks spec.size of v1',
    );
  });

  test('warns of a definition that is not one of the project', async () => {
    expect(await check([definition([sized, wide])])).toMatchObject([
      {
        status: 'warning',
        detail: expect.stringContaining('widgets.shop.example has no conversion'),
      },
    ]);
  });

  test('finds a definition of the project that has its conversion only there', async () => {
    const outcomes = await check([definition([sized])], definition([sized, wide], webhook()));
    expect(outcomes).toMatchObject([
      { status: 'failed', detail: expect.stringContaining('no conversion in the cluster') },
    ]);
  });

  test('finds a Service that does not exist, lacks the port, or has no ready endpoint', async () => {
    const versions = [sized, wide];
    expect(await problem(definition(versions, webhook()))).toContain(
      'nothing serves: the Service operator/operator-webhook does not exist',
    );
    const other = definition(versions, webhook('', { port: 8443 }));
    expect(await problem(other, ...deployed)).toContain('has no port 8443');
    expect(await problem(definition(versions, webhook()))).toContain('has no ready endpoint');
    expect(await problem(definition(versions, webhook()), slice(false))).toContain(
      'has no ready endpoint',
    );
  });

  test('finds a caBundle that is missing, expired or of another authority', async () => {
    const [ours, other, expired] = await Promise.all([
      authority(HOUR_MS),
      authority(HOUR_MS),
      authority(-HOUR_MS),
    ]);
    const served = await issueCertificate({ ...validFor(HOUR_MS), hosts: [host], authority: ours });
    const running = [...deployed, slice(true), secret(served.cert)];
    const versions = [sized, wide];
    expect(await problem(definition(versions, webhook()), ...running)).toContain(
      'nothing serves: caBundle is missing',
    );
    const bundles: readonly (readonly [string, string])[] = [
      [expired.cert, 'each certificate of caBundle has expired'],
      [other.cert, 'caBundle has not issued the certificate of the webhook'],
    ];
    for (const [bundle, expected] of bundles) {
      expect(await problem(definition(versions, webhook(bundle)))).toContain(expected);
    }
    const both = definition(versions, webhook(other.cert + ours.cert));
    expect(await check([both], both)).toEqual([{ status: 'ok', detail: 'served: 1' }]);
  });

  test('finds a conversion that the server cannot get', async () => {
    const clientConfig = { url: 'https://127.0.0.1:1/convert' };
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: ['v1'] },
    };
    const own = definition([sized, wide], conversion);
    expect(await check([own], own)).toMatchObject([{ status: 'ok' }]);
    const widget = {
      apiVersion: 'shop.example/v1',
      kind: 'Widget',
      metadata: { namespace: 'default', name: 'a' },
    };
    expect(await problem(own, { ...widget, spec: { size: 1 } } as KubernetesObject)).toMatch(
      /^widgets\.shop\.example cannot be converted: conversion webhook for .* failed/,
    );
  });
});

const HOUR_MS = 3_600_000;

function validFor(lifeMs: number): { commonName: string; notBefore: number; notAfter: number } {
  const now = Date.now();
  return { commonName: 'operator', notBefore: now - 2 * HOUR_MS, notAfter: now + lifeMs };
}

function authority(lifeMs: number): Promise<IssuedCertificate> {
  return issueCertificate(validFor(lifeMs));
}
