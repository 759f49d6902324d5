import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { issueCertificate } from '@keelson/x509';
import {
  eventually,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import { createManager } from './controller-manager.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

const { CustomResourceDefinition, Secret, ValidatingWebhookConfiguration } = builtin;
type Configuration = ObjectOf<typeof ValidatingWebhookConfiguration>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const host = '127.0.0.1';
const service = { namespace: 'default', name: 'operator' };
const secret = { namespace: 'default', name: 'certificates' };
const configuration = { name: 'operator' };
const servername = 'operator.default.svc';
let server: ApiServer;
let client: Client;
let managers: Manager[];

beforeEach(async () => {
  server = await createApiServer({ authorizationMode: 'RBAC' });
  client = createClient({ cluster: server.cluster });
  managers = [];
});

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(managers.map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

/** A replica that publishes its authorities. */
function replica(options: Partial<ManagerOptions> = {}): Manager {
  const names = { configurations: ['operator'], definitions: ['apps.example.com'] };
  const tls = { namespace: 'default', secret: secret.name, service: service.name, ...names };
  const manager = createManager({
    cluster: server.cluster,
    stopSignals: [],
    logger: recordingLogger().logger,
    servers: { host, health: 0, webhook: { port: 0, tls, shutdownDelay: 0 } },
    ...options,
  });
  managers.push(manager);
  return manager;
}

function createConfiguration(): Promise<Configuration> {
  const webhook = {
    name: 'all.operator.example',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { service },
  };
  return client.create(ValidatingWebhookConfiguration, {
    metadata: configuration,
    webhooks: [webhook],
  });
}

/** The bundle that API servers have, in PEM. */
async function bundle(): Promise<string> {
  const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, configuration);
  return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
}

/** Replaces the bundle as another client does. Returns the version of the configuration. */
async function replaceBundle(caBundle: string): Promise<string | undefined> {
  const op = caBundle === '' ? 'remove' : 'replace';
  const path = '/webhooks/0/clientConfig/caBundle';
  const body = [{ op, path, ...(caBundle !== '' && { value: caBundle }) }];
  const written = await client.patch(ValidatingWebhookConfiguration, configuration, {
    type: 'json',
    body: body as never,
  });
  return written.metadata.resourceVersion;
}

/** Sends a request as an API server that has this bundle, on a connection of its own. */
async function statusOf(manager: Manager, ca: string): Promise<number | undefined> {
  const sent = httpsRequest({ host, port: manager.ports.webhook, servername, ca, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

/** Whether an API server with this bundle accepts the certificate of each replica. */
async function areAccepted(replicas: readonly Manager[], ca: string): Promise<boolean> {
  const statuses = replicas.map((each) => statusOf(each, ca).catch(() => undefined));
  return (await Promise.all(statuses)).every((status) => status === 404);
}

describe('the authorities of the webhook server', () => {
  test('are put back at once after a change of another client, without a timer', async () => {
    useFakeTime({ setImmediate: true });
    await createConfiguration();
    await running(replica());
    await eventually(async () => (await bundle()) !== '');
    const published = await bundle();
    for (const foreign of ['', Buffer.from(await foreignAuthority()).toString('base64')]) {
      await replaceBundle(foreign);
      await eventually(async () => (await bundle()) === published);
    }
  });

  test('are written at once into a configuration and a definition that are created later', async () => {
    useFakeTime({ setImmediate: true });
    await running(replica());
    await createConfiguration();
    await eventually(async () => (await bundle()) !== '');
    await client.create(CustomResourceDefinition, definition());
    await eventually(async () => {
      const { spec } = await client.get(CustomResourceDefinition, { name: 'apps.example.com' });
      const { caBundle = '' } = spec.conversion?.webhook?.clientConfig ?? {};
      return Buffer.from(caBundle, 'base64').toString() === (await bundle());
    });
  });

  test('of a standby are neither published nor needed for its reviews', async () => {
    const leaderElection = { lease: 'operator', namespace: 'default' };
    await createConfiguration();
    const leader = replica({ leaderElection });
    await running(leader);
    await eventually(async () => (await bundle()) !== '');
    const standby = replica({ leaderElection });
    standby.start().catch(() => undefined);
    await eventually(() => standby.ports.webhook !== undefined);
    const published = await bundle();
    expect(await statusOf(standby, published)).toBe(404);
    await leader.stop();
    await eventually(() => standby.isLeader);
    await replaceBundle('');
    await eventually(async () => (await bundle()) === published);
  });

  test('meet those of another controller a few times at once, and then once every ten seconds', async () => {
    useFakeTime({ setImmediate: true });
    await createConfiguration();
    const manager = replica();
    await running(manager);
    await eventually(async () => (await bundle()) !== '');
    const controller = 'webhook-ca-bundle';
    const isDelayed = async (): Promise<boolean> =>
      (await valueOf(manager, 'keelson_delayed_events_total', { controller })) === 1;
    let changes = 0;
    while (!(await isDelayed())) {
      await replaceBundle('');
      changes += 1;
      await eventually(async () => (await isDelayed()) || (await bundle()) !== '');
    }
    // Ten at once and the delayed one; fewer if the events of own writes arrive before their responses, and count too.
    expect([changes > 4, changes <= 11]).toEqual([true, true]);
    await jest.advanceTimersByTimeAsync(9000);
    expect(await bundle()).toBe('');
    await jest.advanceTimersByTimeAsync(1000);
    await eventually(async () => (await bundle()) !== '');
  });

  test('are published without the permission to watch, which readiness does not need', async () => {
    await createConfiguration();
    const user = server.addUser({ name: 'operator', groups: [] });
    await allow(['get', 'update', 'create']);
    const manager = replica({ cluster: user });
    await running(manager);
    await eventually(async () => (await bundle()) !== '');
    expect((await fetch(`http://${host}:${manager.ports.health}/readyz`)).status).toBe(200);
  });

  test('that may not be published are reported, and the webhooks are served', async () => {
    await createConfiguration();
    const user = server.addUser({ name: 'operator', groups: [] });
    await allow(['create', 'get', 'update'], ['secrets']);
    const { logger, lines } = recordingLogger();
    const manager = replica({ cluster: user, logger });
    await running(manager);
    const failed = { controller: 'webhook-ca-bundle', message: 'reconcile failed' };
    await eventually(() => lines.some((line) => expectable(line, failed)));
    const { data = {} } = await client.get(Secret, secret);
    const authority = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
    expect(await statusOf(manager, authority)).toBe(404);
  });

  test('follow a lost Secret: every replica is accepted by the published bundle again', async () => {
    useFakeTime({ setImmediate: true });
    await createConfiguration();
    const replicas = [replica(), replica()];
    await Promise.all(replicas.map(running));
    await eventually(async () => (await bundle()) !== '');
    const lost = await bundle();
    await client.delete(Secret, secret);
    await jest.advanceTimersByTimeAsync(30_000);
    await eventually(async () => (await bundle()) !== lost);
    await eventually(async () => {
      const published = await bundle();
      return areAccepted(replicas, published);
    });
  });

  test('of another replica are not overwritten: the replica reads the Secret first', async () => {
    useFakeTime({ setImmediate: true });
    await createConfiguration();
    const early = replica();
    await running(early);
    await eventually(async () => (await bundle()) !== '');
    const lost = await bundle();
    await jest.advanceTimersByTimeAsync(20_000);
    const late = replica();
    await running(late);
    await client.delete(Secret, secret);
    // The period of the first one ends, and that of the other one does not.
    await jest.advanceTimersByTimeAsync(10_000);
    await eventually(async () => (await bundle()) !== lost);
    const published = await bundle();
    await eventually(() => areAccepted([early, late], published));
    expect(await bundle()).toBe(published);
  });

  test('are renewed under load, with the certificates, and no request is refused', async () => {
    useFakeTime({ setImmediate: true });
    // TLS compares with the clock of the machine, at which every certificate of the test is valid.
    jest.setSystemTime(Date.now() - 3 * HOUR);
    await createConfiguration();
    const former = await dueSoon();
    const replicas = [replica(), replica()];
    await Promise.all(replicas.map(running));
    await eventually(async () => (await bundle()) === former.authority);
    const load = new Load(replicas);
    await load.serveFor(35_000);
    await eventually(async () => (await bundle()).length > former.authority.length);
    expect(await bundle()).toContain(former.authority);
    jest.setSystemTime(Date.now() + HOUR);
    await load.serveFor(70_000);
    const { failures, certificates } = await load.end();
    expect(failures).toEqual([]);
    const { data = {} } = await client.get(Secret, secret);
    const current = Buffer.from(data['tls.crt'] ?? '', 'base64').toString();
    expect(certificates).toEqual(new Set([former.cert, current].map(fingerprintOf)));
    expect(current).not.toBe(former.cert);
  });
});

/** Requests to the replicas in turn, each with the bundle that API servers have at its start. */
class Load {
  readonly failures: unknown[] = [];
  /** The fingerprints of the certificates that were served. */
  readonly certificates: Set<string> = new Set();
  readonly #stop = new AbortController();
  readonly #senders: Promise<void>[];
  #served = 0;

  constructor(replicas: readonly Manager[]) {
    this.#senders = [0, 1, 2, 3].map((first) => this.#send(replicas, first));
  }

  /** Advances the time in steps that no request outlives. */
  async serveFor(milliseconds: number): Promise<void> {
    for (let elapsed = 0; elapsed < milliseconds; elapsed += 5000) {
      await jest.advanceTimersByTimeAsync(5000);
      const end = this.#served + 20;
      await eventually(() => this.#served >= end || this.failures.length > 0);
    }
  }

  async end(): Promise<this> {
    this.#stop.abort();
    await Promise.all(this.#senders);
    return this;
  }

  async #send(replicas: readonly Manager[], first: number): Promise<void> {
    for (let next = first; !this.#stop.signal.aborted; next += 1) {
      const target = replicas[next % replicas.length] as Manager;
      try {
        const { webhook: port } = target.ports;
        const sent = httpsRequest({ host, port, servername, ca: await bundle(), agent: false });
        sent.end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        const socket = response.socket as TLSSocket;
        this.certificates.add(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
        await once(response.resume(), 'end');
        this.#served += 1;
      } catch (error) {
        this.failures.push(error);
      }
    }
  }
}

function fingerprintOf(cert: string): string {
  return new X509Certificate(cert).fingerprint256;
}

/** Stores certificates that the replicas renew within a minute. */
async function dueSoon(): Promise<{ authority: string; cert: string }> {
  const dueAt = Date.now() + 20_000;
  const validity = (days: number): { notBefore: number; notAfter: number } => ({
    notBefore: dueAt - days * 0.6 * DAY,
    notAfter: dueAt + days * 0.4 * DAY,
  });
  const authority = await issueCertificate({ commonName: 'former', ...validity(365) });
  const hosts = [servername, `${servername}.cluster.local`, 'operator.default'];
  const request = { commonName: servername, hosts, authority };
  const { cert, key } = await issueCertificate({ ...request, ...validity(90) });
  const texts = {
    'ca.crt': authority.cert,
    'ca.key': authority.key,
    'tls.crt': cert,
    'tls.key': key,
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
  const annotations = { 'keelson.dev/webhook-service': servername };
  await client.create(Secret, {
    metadata: { ...secret, annotations },
    type: 'kubernetes.io/tls',
    data,
  });
  return { authority: authority.cert, cert };
}

async function foreignAuthority(): Promise<string> {
  const notAfter = Date.now() + DAY;
  return (await issueCertificate({ commonName: 'x', notBefore: Date.now() - DAY, notAfter })).cert;
}

function expectable(line: Readonly<Record<string, unknown>>, facts: object): boolean {
  return Object.entries(facts).every(([name, value]) => line[name] === value);
}

/** Allows the user `operator` these verbs in the whole cluster. */
async function allow(
  verbs: readonly string[],
  resources: readonly string[] = [
    'secrets',
    'validatingwebhookconfigurations',
    'mutatingwebhookconfigurations',
    'customresourcedefinitions',
  ],
): Promise<void> {
  const { ClusterRole, ClusterRoleBinding } = builtin;
  const metadata = { name: 'operator' };
  const apiGroups = ['', 'admissionregistration.k8s.io', 'apiextensions.k8s.io'];
  await client.create(ClusterRole, {
    metadata,
    rules: [{ apiGroups, resources: [...resources], verbs: [...verbs] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
    subjects: [{ kind: 'User', name: 'operator', apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

function definition(): ObjectOf<typeof CustomResourceDefinition> {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'apps.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'App', plural: 'apps' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } },
      },
    },
  };
}
