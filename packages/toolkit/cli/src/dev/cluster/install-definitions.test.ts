import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import { installDefinitions } from './install-definitions.ts';

const crd = (plural: string): KubernetesObject =>
  definitionWith([versionWith({ type: 'object' })], { plural, kind: plural.toUpperCase() });
const { signal } = new AbortController();

describe('installDefinitions', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = await createApiServer();
    client = createClient({ cluster: server.cluster });
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server.close();
  });

  test('creates and changes definitions, and resolves when they are established', async () => {
    await installDefinitions(client, [crd('as'), crd('bs')], signal);
    await installDefinitions(client, [crd('bs'), crd('cs')], signal);
    const { items } = await client.list(builtin.CustomResourceDefinition);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(
      ['as', 'bs', 'cs'].map((plural) => `${plural}.shop.example`),
    );
    for (const { status } of items) {
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Established', status: 'True' }),
      );
    }
  });

  test('rejects with the error of the server', async () => {
    const invalid = definitionWith([versionWith({ type: 'text' })]) as never;
    await expect(installDefinitions(client, [invalid], signal)).rejects.toThrow(/is invalid/);
  });

  test('ends when it is aborted', async () => {
    const abort = new AbortController();
    const fault = server.faults.hang({ resource: builtin.CustomResourceDefinition });
    const installed = installDefinitions(client, [crd('as')], abort.signal);
    await server.requested({ resource: builtin.CustomResourceDefinition }, 1);
    abort.abort();
    await expect(installed).rejects.toThrow(/abort/);
    fault.end();
  });
});
