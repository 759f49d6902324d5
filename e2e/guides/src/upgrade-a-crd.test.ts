import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { compareCrds, defineKind, defineSpoke, defineVersions } from '@keelson/schema';
import type { CustomResourceDefinition } from '@keelson/schema';

describe('docs/guides/upgrade-a-crd.md', () => {
  test('the new version breaks neither objects nor clients', () => {
    expect(breaks(v1beta1.crd, timers.crd)).toEqual([]);
    expect(breaks(v1beta1.crd, v1.crd)).toEqual([
      'versions[v1beta1]: removed, but objects are stored in it (objects, clients): keep the version; write every object in another storage version and remove this one from status.storedVersions first',
      'spec.every: the field is removed, and the server drops its value, compared with the storage version v1beta1 (objects, clients): keep the field, marked as deprecated in its description, or convert it in a new version',
      'spec.seconds: becomes required and has no default, compared with the storage version v1beta1 (objects, clients): give it a default, or leave it optional in this version',
    ]);
  });

  test('the webhook converts', async () => {
    const server = createServer((request, response) => void convertTimers(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const old = {
      apiVersion: 'ops.example.com/v1beta1',
      kind: 'Timer',
      metadata: { name: 'a' },
      spec: { every: '2m' },
    };
    const request = { uid: '1', desiredAPIVersion: 'ops.example.com/v1', objects: [old] };
    const apiVersion = 'apiextensions.k8s.io/v1';
    const body = JSON.stringify({ apiVersion, kind: 'ConversionReview', request });
    const url = `http://127.0.0.1:${port}`;
    const response = await fetch(url, { method: 'POST', body });
    expect(await response.json()).toMatchObject({
      response: { uid: '1', convertedObjects: [{ spec: { seconds: 120 } }] },
    });
    const refused = await fetch(url, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('not a ConversionReview');
    server.close();
    server.closeAllConnections();
  });
});

// #region versions
const names = { group: 'ops.example.com', kind: 'Timer', plural: 'timers' } as const;

const v1beta1 = defineKind({
  ...names,
  version: 'v1beta1',
  spec: {
    type: 'object',
    required: ['every'],
    properties: { every: { type: 'string', pattern: '^[0-9]+[sm]$' } },
  },
});

const v1 = defineKind({
  ...names,
  version: 'v1',
  spec: {
    type: 'object',
    required: ['seconds'],
    properties: { seconds: { type: 'integer', minimum: 1 } },
  },
});

const timers = defineVersions({
  hub: v1,
  spokes: [
    defineSpoke(v1, v1beta1, {
      toHub({ metadata = {}, spec }) {
        const count = Number.parseInt(spec.every, 10);
        return { metadata, spec: { seconds: spec.every.endsWith('m') ? count * 60 : count } };
      },
      fromHub: ({ metadata = {}, spec }) => ({ metadata, spec: { every: `${spec.seconds}s` } }),
    }),
  ],
  storage: 'v1beta1',
  conversion: { service: { namespace: 'ops', name: 'timers', path: '/convert' } },
});
// #endregion

// #region webhook
async function convertTimers(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const review = timers.review(JSON.parse(await text(request)));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(review));
  } catch (error) {
    // The body is not a ConversionReview; a failed conversion is a response of `review`.
    response.writeHead(400).end(String(error));
  }
}
// #endregion

// #region compare
function breaks(released: CustomResourceDefinition, next: CustomResourceDefinition): string[] {
  return compareCrds(released, next).map(
    ({ path, reason, breaks: affected, cure }) =>
      `${path}: ${reason} (${affected.join(', ')}): ${cure}`,
  );
}
// #endregion
