import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { Agent, get } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CertificateFolder, pairOf } from '../testing/certificates.test-support.ts';
import {
  eventually,
  managersOfTest,
  running,
  useFakeTime,
  valueOf,
} from '../testing/fixtures.test-support.ts';
import type { KeyPair } from './certificate-source.ts';
import { HttpServer } from './http-server.ts';
import { SelfSignedCertificate } from './self-signed-certificate.ts';

const host = '127.0.0.1';
const managers = managersOfTest();
let first: KeyPair;
let second: KeyPair;
let server: HttpServer;
let use: (pair: KeyPair) => void;

beforeAll(async () => {
  [first, second] = await Promise.all([pairOf('first'), pairOf('second')]);
});

beforeEach(async () => {
  server = new HttpServer({
    name: 'test',
    address: { port: 0, host },
    certificates: {
      start: async (given) => {
        use = given;
        use(first);
      },
      stop() {},
    },
    responder: () => ({ status: 200, body: 'ok' }),
  });
  await server.listen();
});

afterEach(async () => {
  jest.useRealTimers();
  await server.close();
});

/** Sends a request with a new connection, which verifies the certificate, or with that of the agent. */
async function ask(
  port: number | undefined,
  {
    ca,
    agent = false,
    path = '/',
  }: { readonly ca?: string; readonly agent?: Agent | false; readonly path?: string },
): Promise<{ status: number | undefined; body: string; subject: string }> {
  const sent = get({ port, host, path, agent, ...(ca === undefined ? {} : { ca }) });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const subject = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
  return { status: response.statusCode, body: await text(response), subject: String(subject) };
}

describe('an HTTPS server', () => {
  test('responds with its certificate and refuses plain HTTP', async () => {
    expect(await ask(server.port, { ca: first.cert })).toMatchObject({ status: 200, body: 'ok' });
    await expect(fetch(`http://${host}:${server.port}/`)).rejects.toThrow();
  });

  test('refuses TLS 1.1 and accepts TLS 1.2', async () => {
    const handshake = async (version: 'TLSv1.1' | 'TLSv1.2'): Promise<string | null> => {
      const versions = { minVersion: version, maxVersion: version } as const;
      const ciphers = 'DEFAULT@SECLEVEL=0';
      const port = server.port ?? 0;
      const socket = connect({ port, host, ca: first.cert, ciphers, ...versions });
      try {
        await once(socket, 'secureConnect');
        return socket.getProtocol();
      } finally {
        socket.destroy();
      }
    };
    await expect(handshake('TLSv1.1')).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
    expect(await handshake('TLSv1.2')).toBe('TLSv1.2');
  });

  test('CW01 serves a reloaded certificate without dropping open connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.cert });
    expect(await ask(server.port, { agent })).toMatchObject({ subject: 'first' });
    use(second);
    expect(await ask(server.port, { agent })).toMatchObject({ status: 200, subject: 'first' });
    expect(await ask(server.port, { ca: second.cert })).toMatchObject({ subject: 'second' });
    agent.destroy();
  });

  test('closes a connection whose handshake takes longer than 10 s', async () => {
    useFakeTime({ setImmediate: true });
    const socket = connectPlain(server.port ?? 0, host);
    const closed = once(socket.resume(), 'close');
    await eventually(() => jest.getTimerCount() > 0);
    await jest.advanceTimersByTimeAsync(10_000);
    await closed;
  });

  test('MG21 a connection in its handshake does not delay close, and is closed by it', async () => {
    const socket = connectPlain(server.port ?? 0, host);
    const closed = once(socket.resume(), 'close');
    await once(socket, 'connect');
    await ask(server.port, { ca: first.cert });
    await server.close();
    await closed;
  });

  test('does not listen without a certificate', async () => {
    const failing = new HttpServer({
      name: 'failing',
      address: { port: 0, host },
      certificates: { start: () => Promise.reject(new Error('no file')), stop() {} },
      responder: () => undefined,
    });
    await expect(failing.listen()).rejects.toThrow('no file');
    expect(failing.port).toBeUndefined();
    await failing.close();
  });

  test('creates a self-signed certificate for localhost and the host name at its start', async () => {
    let made: KeyPair | undefined;
    await new SelfSignedCertificate().start((pair) => (made = pair));
    use(made as KeyPair);
    expect(await ask(server.port, { ca: String(made?.cert) })).toMatchObject({ status: 200 });
    expect(new X509Certificate(String(made?.cert)).subject).toBe(`CN=${hostname()}`);
  });
});

describe('the servers of a manager', () => {
  test('CW01 start rejects if the files of a certificate are missing', async () => {
    await using folder = await CertificateFolder.create();
    const { manager } = managers.make({
      servers: { host, health: { port: 0, tls: folder.files }, metrics: 0 },
    });
    await expect(manager.start()).rejects.toMatchObject({
      code: 'INVALID_CERTIFICATE',
      facts: { server: 'health', file: folder.files.cert },
    });
  });

  test('CW01 serve metrics and health over HTTPS, reload their files and count the reads', async () => {
    await using folder = await CertificateFolder.create(first);
    useFakeTime({ setImmediate: true });
    const address = { port: 0, tls: folder.files };
    const { manager } = managers.make({ servers: { host, metrics: address, health: address } });
    await running(manager);
    const { metrics, health } = manager.ports;
    expect((await ask(health, { ca: first.cert, path: '/healthz' })).status).toBe(200);
    expect((await ask(metrics, { ca: first.cert, path: '/metrics' })).status).toBe(200);
    await folder.rename(second);
    await jest.advanceTimersByTimeAsync(10_000);
    const reads = 'certwatcher_read_certificate_total';
    await eventually(async () => (await valueOf(manager, reads)) === 4);
    const subjectOf = async (): Promise<string> =>
      (await ask(health, { ca: `${first.cert}\n${second.cert}` })).subject;
    await eventually(async () => (await subjectOf()) === 'second');
    await folder.write({ ...first, key: '' });
    await jest.advanceTimersByTimeAsync(10_000);
    const errors = 'certwatcher_read_certificate_errors_total';
    await eventually(async () => (await valueOf(manager, errors)) === 2);
    expect(await subjectOf()).toBe('second');
  });
});
