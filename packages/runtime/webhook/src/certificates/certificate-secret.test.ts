import { X509Certificate } from 'node:crypto';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from '@jest/globals';
import { builtin, isNotFound, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { Line } from '../testing/reviews.test-support.ts';
import { loggerOf } from '../testing/reviews.test-support.ts';
import { CertificateSecret } from './certificate-secret.ts';
import { splitCertificates } from './certificate-state.ts';
import { issueCertificate, type IssuedCertificate } from '@keelson/x509';

type Secret = ObjectOf<typeof builtin.Secret>;

const DAY = 86_400_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const secret = { namespace: 'default', name: 'webhook-certificates' };
const host = 'webhook.default.svc';
let server: ApiServer;
let client: Client;
let lines: Line[];
let now: number;
let open: CertificateSecret[];

beforeAll(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
});

afterAll(async () => {
  await client.close();
  await server.close();
});

beforeEach(() => {
  lines = [];
  now = start;
  open = [];
});

afterEach(async () => {
  for (const each of open) each.stop();
  jest.useRealTimers();
  await client.delete(builtin.Secret, secret).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
});

/** One replica, which reads the Secret once. */
async function replica(
  options: Partial<ConstructorParameters<typeof CertificateSecret>[0]> = {},
): Promise<{ pair: IssuedCertificate; bundle: string; certificates: CertificateSecret }> {
  const certificates = new CertificateSecret({
    client,
    secret,
    service: 'webhook',
    log: loggerOf(lines),
    now: () => now,
    ...options,
  });
  open.push(certificates);
  const used: IssuedCertificate[] = [];
  await certificates.start((pair) => used.push(pair));
  const pair = used.at(-1) ?? { cert: '', key: '' };
  return { pair, bundle: certificates.bundle ?? '', certificates };
}

/** Expects that a client with this bundle accepts the certificate. */
function expectValid(cert: string, bundle: string, at = now): void {
  const certificate = new X509Certificate(cert);
  expect(certificate.checkHost(host)).toBe(host);
  expect(Date.parse(certificate.validFrom)).toBeLessThanOrEqual(at);
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(at);
  const issuers = splitCertificates(bundle).filter((each) => {
    const authority = new X509Certificate(each);
    const isAlive = Date.parse(authority.validTo) > at;
    return isAlive && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
  expect(issuers).toHaveLength(1);
}

/** Changes the stored Secret as another client does. */
async function change(data: Readonly<Record<string, string>>): Promise<void> {
  const stored = await client.get(builtin.Secret, secret);
  const encoded = Object.entries(data).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  await client.update(builtin.Secret, {
    ...stored,
    data: { ...stored.data, ...Object.fromEntries(encoded) },
  });
}

async function textOf(name: string): Promise<string> {
  const { data = {} }: Secret = await client.get(builtin.Secret, secret);
  return Buffer.from(data[name] ?? '', 'base64').toString();
}

describe('CertificateSecret', () => {
  test('a stop in the middle of the start uses no certificate', async () => {
    const used: IssuedCertificate[] = [];
    const log = loggerOf(lines);
    const stopping: CertificateSecret = new CertificateSecret({
      client: {
        get: client.get.bind(client),
        update: client.update.bind(client),
        create: (...created: Parameters<Client['create']>) => {
          stopping.stop();
          return client.create(...created);
        },
      } as Client,
      secret,
      service: 'webhook',
      log,
    });
    await stopping.start((pair) => used.push(pair));
    expect(used).toEqual([]);
  });

  test('creates an authority and a certificate of it, which the next start uses again', async () => {
    const first = await replica();
    expectValid(first.pair.cert, first.bundle);
    expect(
      new X509Certificate(first.pair.cert).checkHost('webhook.default.svc.cluster.local'),
    ).toBeDefined();
    const stored = await client.get(builtin.Secret, secret);
    expect(stored.type).toBe('kubernetes.io/tls');
    const second = await replica();
    expect(second.pair).toEqual(first.pair);
    expect((await client.get(builtin.Secret, secret)).metadata.resourceVersion).toBe(
      stored.metadata.resourceVersion,
    );
    expect(
      lines.map(({ message, facts }) => [message, facts['authority'], facts['serving']]),
    ).toEqual([['certificate renewed', 'missing', 'missing']]);
  });

  test('replicas that start together agree on one certificate', async () => {
    const replicas = await Promise.all(Array.from({ length: 5 }, () => replica()));
    const certificates = new Set(replicas.map(({ pair }) => pair.cert));
    expect(certificates).toEqual(new Set([await textOf('tls.crt')]));
    expect(new Set(replicas.map(({ bundle }) => bundle)).size).toBe(1);
  });

  test('replicas that renew together agree on one certificate', async () => {
    const { pair } = await replica();
    now += 60 * DAY;
    const replicas = await Promise.all(Array.from({ length: 5 }, () => replica()));
    const certificates = new Set(replicas.map(({ pair: renewed }) => renewed.cert));
    expect(certificates.size).toBe(1);
    expect(certificates).not.toContain(pair.cert);
  });

  test('renews a certificate before two thirds of its life, and no earlier than half of it', async () => {
    const { pair } = await replica();
    now += 45 * DAY;
    expect((await replica()).pair).toEqual(pair);
    now += 15 * DAY;
    const renewed = await replica();
    expect(renewed.pair).not.toEqual(pair);
    expectValid(renewed.pair.cert, renewed.bundle);
  });

  test('keeps the former authority in the bundle while a certificate of it may live', async () => {
    const { pair } = await replica();
    now += 219 * DAY;
    await change({ 'tls.crt': pair.cert });
    const renewed = await replica();
    const [current = '', former = ''] = splitCertificates(renewed.bundle);
    expect(Date.parse(new X509Certificate(former).validTo)).toBe(start + 365 * DAY);
    expect(Date.parse(new X509Certificate(current).validTo)).toBe(now + 365 * DAY);
    now += 147 * DAY;
    expect(splitCertificates((await replica()).bundle)).not.toContain(former);
  });

  test('publishes a new authority for an hour before it signs a certificate whose renewal can wait', async () => {
    await replica();
    now += 60 * DAY;
    const { pair } = await replica();
    now += 159 * DAY; // The certificate of day 60 has expired.
    const urgent = await replica();
    expect(urgent.pair).not.toEqual(pair);
    now += 54 * DAY;
    await change({ 'ca.key': 'lost' });
    const waiting = await replica();
    expect(waiting.pair).toEqual(urgent.pair);
    expect(splitCertificates(waiting.bundle).length).toBeGreaterThan(1);
    now += 3_600_001;
    expect((await replica()).pair).not.toEqual(urgent.pair);
  });

  test.each([
    ['expired', {}, 91 * DAY],
    ['key mismatch', { 'tls.key': 'foreign' }, 0],
    ['invalid', { 'tls.crt': 'no certificate' }, 0],
    ['missing', { 'tls.crt': '', 'tls.key': '' }, 0],
  ])('replaces at the start a certificate that is %s', async (reason, data, later) => {
    const { pair } = await replica();
    const foreign = await issueCertificate({
      commonName: 'x',
      hosts: ['x'],
      notBefore: now,
      notAfter: now + DAY,
    });
    const written = Object.entries(data).map(([key, text]) => [
      key,
      text === 'foreign' ? foreign.key : text,
    ]);
    await change(Object.fromEntries(written));
    now += later;
    const renewed = await replica();
    expect(renewed.pair).not.toEqual(pair);
    expectValid(renewed.pair.cert, renewed.bundle);
    expect(lines.at(-1)?.facts).toMatchObject({ serving: reason });
    expect(lines.at(-1)?.facts['authority']).toBeUndefined();
  });

  test('replaces a certificate of another authority, and one for other hosts', async () => {
    await replica();
    const foreign = await issueCertificate({
      commonName: 'x',
      hosts: [host, `${host}.cluster.local`, 'webhook.default'],
      notBefore: now,
      notAfter: now + DAY,
    });
    await change({ 'tls.crt': foreign.cert, 'tls.key': foreign.key });
    await replica();
    expect(lines.at(-1)?.facts).toMatchObject({ serving: 'unknown authority' });
    const authority = { cert: await textOf('ca.crt'), key: await textOf('ca.key') };
    const other = await issueCertificate({
      commonName: 'x',
      hosts: ['x'],
      notBefore: now,
      notAfter: now + DAY,
      authority,
    });
    await change({ 'tls.crt': other.cert, 'tls.key': other.key });
    const renewed = await replica();
    expect(lines.at(-1)?.facts).toMatchObject({ serving: 'other hosts' });
    expectValid(renewed.pair.cert, renewed.bundle);
  });

  test('accepts a clock that is slow by less than an hour, and replaces what a clock far ahead issued', async () => {
    const { pair } = await replica();
    now -= 1_800_000;
    expect((await replica()).pair).toEqual(pair);
    now -= 7_200_000 * 12;
    const renewed = await replica();
    expect(lines.at(-1)?.facts).toMatchObject({ serving: 'not yet valid' });
    expectValid(renewed.pair.cert, renewed.bundle);
  });

  test('never changes a Secret of something else', async () => {
    const data = { 'tls.crt': Buffer.from('theirs').toString('base64') };
    await client.create(builtin.Secret, { metadata: secret, data });
    await expect(replica()).rejects.toMatchObject({
      code: 'CERTIFICATE_SECRET_FOREIGN',
      facts: secret,
    });
    expect((await client.get(builtin.Secret, secret)).data).toEqual(data);
  });

  test('a lost Secret is created again, and every replica takes the new certificate', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'Date', 'performance'] });
    const used: IssuedCertificate[][] = [[], []];
    const replicas = used.map((pairs) => {
      const log = loggerOf(lines);
      const made = new CertificateSecret({
        client,
        secret,
        service: 'webhook',
        log,
        now: () => now,
      });
      open.push(made);
      return made.start((pair) => pairs.push(pair));
    });
    await Promise.all(replicas);
    await client.delete(builtin.Secret, secret);
    jest.advanceTimersByTime(30_000);
    await until(() => used.every(({ length }) => length === 2));
    const current = await textOf('tls.crt');
    expect(used.map((pairs) => pairs.at(-1)?.cert)).toEqual([current, current]);
    expect(open.map(({ bundle }) => bundle)).toEqual([
      await textOf('ca.crt'),
      await textOf('ca.crt'),
    ]);
  });

  test('a refresh takes what another replica has renewed, without a timer', async () => {
    const first = await replica();
    await client.delete(builtin.Secret, secret);
    const second = await replica();
    await Promise.all([first.certificates.refresh(), first.certificates.refresh()]);
    expect(first.certificates.bundle).toBe(second.bundle);
    expect(first.certificates.bundle).not.toBe(first.bundle);
    first.certificates.stop();
    await client.delete(builtin.Secret, secret);
    await first.certificates.refresh();
    expect(first.certificates.bundle).toBe(second.bundle);
  });

  test('a logger that throws ends one refresh, and the next one reads again', async () => {
    let isAway = false;
    const failing = {
      create: client.create.bind(client),
      update: client.update.bind(client),
      get: (async (...given: Parameters<Client['get']>) => {
        if (isAway) throw new Error('unavailable');
        return client.get(...given);
      }) as Client['get'],
    };
    const throwing = (): never => {
      throw new Error('full');
    };
    const log = { ...loggerOf(lines), error: throwing };
    const { certificates, bundle } = await replica({ client: failing, log });
    isAway = true;
    await expect(certificates.refresh()).rejects.toThrow('full');
    isAway = false;
    await client.delete(builtin.Secret, secret);
    await certificates.refresh();
    expect(certificates.bundle).not.toBe(bundle);
  });

  test('keeps its certificate while the API server fails, and logs the failure once', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'Date', 'performance'] });
    let reads = 0;
    const failing = {
      create: client.create.bind(client),
      update: client.update.bind(client),
      get: (async (...given: Parameters<Client['get']>) => {
        reads += 1;
        if (reads > 1) throw new Error('unavailable');
        return client.get(...given);
      }) as Client['get'],
    };
    const { certificates, bundle } = await replica({ client: failing });
    await jest.advanceTimersByTimeAsync(90_000);
    expect(reads).toBe(4);
    expect(certificates.bundle).toBe(bundle);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    certificates.stop();
    expect(jest.getTimerCount()).toBe(0);
  });

  test('rejects with the error of the API server if the namespace is missing', async () => {
    const missing = { namespace: 'missing', name: 'webhook-certificates' };
    await expect(replica({ secret: missing })).rejects.toThrow('namespaces "missing" not found');
  });

  test('gives up if other clients keep changing the Secret', async () => {
    await replica();
    now += 60 * DAY;
    const racing = {
      create: client.create.bind(client),
      get: client.get.bind(client),
      update: (async (...given: Parameters<Client['update']>) => {
        await change({ other: String(Math.random()) });
        return client.update(...given);
      }) as Client['update'],
    };
    await expect(replica({ client: racing })).rejects.toMatchObject({
      code: 'CERTIFICATE_SECRET_CONFLICT',
    });
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns > 100_000) throw new Error('the condition did not become true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
