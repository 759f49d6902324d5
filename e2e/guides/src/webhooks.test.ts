import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ApiResource, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createManager, deny, type Manager } from '@keelson/manager';
import { defineKind } from '@keelson/schema';
import { z } from 'zod';
import { silent } from './testing/fixtures.test-support.ts';

interface App extends KubernetesObject {
  spec: { image: string; replicas?: number; owner?: string };
}

const App: ApiResource<App> = defineResource<App>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
});

let manager: Manager;
let running: Promise<void>;

beforeEach(() => {
  manager = createManager({
    cluster: { server: 'http://127.0.0.1:1' },
    servers: {
      host: '127.0.0.1',
      webhook: { port: 0, tls: 'self-signed', shutdownDelay: 0 },
    },
    logger: silent,
    stopSignals: [],
  });
});

afterEach(async () => {
  await manager.stop();
  await running;
});

async function start(): Promise<void> {
  running = manager.start();
  await manager.started;
}

interface Reviewed {
  readonly allowed: boolean;
  readonly status?: { readonly message: string; readonly code: number };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

/** Posts a review as the API server does. */
async function review(path: string, members: object): Promise<Reviewed> {
  const sent = request({
    host: '127.0.0.1',
    port: manager.ports.webhook,
    path: `${path}?timeout=10s`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    rejectUnauthorized: false,
    agent: false,
  });
  const { group, version, kind, plural: resource } = App;
  const reviewed = {
    uid: 'u',
    kind: { group, version, kind },
    resource: { group, version, resource },
    operation: 'CREATE',
    userInfo: { username: 'jane' },
    ...members,
  };
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: reviewed };
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return ((await json(response)) as { response: Reviewed }).response;
}

function appOf(spec: App['spec'], metadata: object = {}): App {
  const { group, version, kind } = App;
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: 'shop', ...metadata }, spec };
}

// #region validate
function validateApps(operator: Manager): void {
  operator.addWebhook({
    name: 'apps',
    resource: App,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    validate({ operation, object, oldObject, user, warn }) {
      if (operation === 'DELETE') {
        const isProtected = oldObject.metadata.labels?.['protected'] === 'true';
        return isProtected ? deny(`${user.username} must remove the label first`) : undefined;
      }
      if (object.spec.replicas === 0) warn('an App without replicas serves nothing');
      if (oldObject !== undefined && object.spec.owner !== oldObject.spec.owner) {
        const causes = [{ field: 'spec.owner', message: 'must not change' }];
        return deny('the owner is immutable', { causes });
      }
      return undefined;
    },
  });
}
// #endregion validate

// #region mutate
function defaultApps(operator: Manager): void {
  operator.addWebhook({
    name: 'app-defaults',
    resource: App,
    operations: ['CREATE'],
    mutate({ object, user }) {
      object.spec.replicas ??= 1;
      object.spec.owner ??= user.username ?? 'unknown';
    },
  });
}
// #endregion mutate

// #region kind
const apps = defineKind({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  spec: z.object({
    image: z.string().refine((image) => !image.endsWith(':latest'), 'must name a version'),
  }),
});

function validateKind(operator: Manager): void {
  operator.addWebhook({ name: 'schema', kind: apps });
}
// #endregion kind

test('the webhook of the guide refuses changes, and warns', async () => {
  validateApps(manager);
  await start();
  const [one, other] = [appOf({ image: 'a', owner: 'x' }), appOf({ image: 'a', owner: 'y' })];
  const empty = appOf({ image: 'a', replicas: 0 });
  expect(await review('/validate/apps', { object: empty })).toMatchObject({
    allowed: true,
    warnings: ['an App without replicas serves nothing'],
  });
  const update = { operation: 'UPDATE', object: one, oldObject: other };
  expect(await review('/validate/apps', update)).toMatchObject({
    allowed: false,
    status: { code: 422, message: 'the owner is immutable' },
  });
  const removed = appOf({ image: 'a' }, { labels: { protected: 'true' } });
  expect(await review('/validate/apps', { operation: 'DELETE', oldObject: removed })).toMatchObject(
    {
      status: { code: 403, message: 'jane must remove the label first' },
    },
  );
});

test('the webhook of the guide fills in defaults', async () => {
  defaultApps(manager);
  await start();
  const { patch = '' } = await review('/mutate/app-defaults', { object: appOf({ image: 'a' }) });
  expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
    { op: 'add', path: '/spec/replicas', value: 1 },
    { op: 'add', path: '/spec/owner', value: 'jane' },
  ]);
});

test('the webhook of a kind runs the refinements of its schema', async () => {
  validateKind(manager);
  await start();
  const refused = await review('/validate/schema', { object: appOf({ image: 'a:latest' }) });
  expect(refused.status?.message).toBe(
    'App.apps.example.com "shop" is invalid: spec.image: Invalid value: must name a version',
  );
  const accepted = await review('/validate/schema', { object: appOf({ image: 'a:1' }) });
  expect(accepted).toEqual({ uid: 'u', allowed: true });
});
