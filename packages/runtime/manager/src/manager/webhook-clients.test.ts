import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import type { Logger } from '../logging/logger.ts';
import type { KeyPair } from '../servers/certificate-source.ts';
import type { WebhookServerOptions } from '../servers/server-options.ts';
import { CertificateFolder, pairOf } from '../testing/certificates.test-support.ts';
import {
  eventually,
  recordingLogger,
  running,
  silent,
  useFakeTime,
} from '../testing/fixtures.test-support.ts';
import { createManager } from './controller-manager.ts';
import type { Manager } from './manager.ts';

const host = '127.0.0.1';
let server: ApiServer;
let pair: KeyPair;
let authority: KeyPair;
let apiServer: KeyPair;
let stranger: KeyPair;
let folder: CertificateFolder;
let clientCa: string;

beforeAll(async () => {
  server = await createApiServer({});
  const foreign = await pairOf('authority');
  [pair, authority] = await Promise.all([pairOf('webhook'), pairOf('authority')]);
  apiServer = await pairOf('kube-apiserver', { ca: authority });
  stranger = await pairOf('kube-apiserver', { ca: foreign });
  folder = await CertificateFolder.create(pair);
  clientCa = await folder.writeAuthority(authority);
});

afterEach(async () => {
  jest.useRealTimers();
  await folder.writeAuthority(authority);
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await server.close();
});

function managerWith(tls: WebhookServerOptions['tls'], logger: Logger = silent): Manager {
  return createManager({
    cluster: server.cluster,
    logger,
    stopSignals: [],
    servers: { host, webhook: { port: 0, tls, clientCa, shutdownDelay: 0 } },
  });
}

/** The status of the response to a client, on a connection of its own. */
async function statusOf(manager: Manager, client?: KeyPair): Promise<number | undefined> {
  const identity = client && { cert: client.cert, key: client.key };
  const { webhook: port } = manager.ports;
  const options = { host, port, rejectUnauthorized: false, agent: false, ...identity };
  const sent = httpsRequest({ ...options, path: '/validate/none' });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode;
}

const place = { namespace: 'default', secret: 'certificates', service: 'operator' };
const sources: readonly [string, () => WebhookServerOptions['tls']][] = [
  ['in files', () => folder.files],
  ['in a Secret', () => place],
  ['given', () => ({ certificate: { cert: pair.cert, key: pair.key } })],
  ['self-signed', () => 'self-signed'],
];

describe('clientCa of the webhook server', () => {
  test.each(sources)('with a certificate that is %s refuses other clients', async (_name, tls) => {
    await using manager = managerWith(tls());
    await running(manager);
    expect(await statusOf(manager)).toBe(401);
    expect(await statusOf(manager, stranger)).toBe(401);
    expect(await statusOf(manager, apiServer)).toBe(404);
  });

  test('CW01 is reloaded after a change of its file, and kept while the file is invalid', async () => {
    // Issued before, because TLS compares them with the clock of the machine.
    const next = await pairOf('authority');
    const renewed = await pairOf('kube-apiserver', { ca: next });
    useFakeTime({ setImmediate: true });
    const { logger, lines } = recordingLogger();
    await using manager = managerWith('self-signed', logger);
    await running(manager);
    const has = (message: string): boolean => lines.some((line) => line['message'] === message);
    await folder.writeAuthority({ cert: '', key: '' });
    await jest.advanceTimersByTimeAsync(10_000);
    await eventually(() => has('client authorities not reloaded'));
    expect(await statusOf(manager, apiServer)).toBe(404);
    await folder.writeAuthority(next);
    await jest.advanceTimersByTimeAsync(10_000);
    await eventually(() => has('client authorities reloaded'));
    expect(await statusOf(manager, apiServer)).toBe(401);
    expect(await statusOf(manager, renewed)).toBe(404);
  });

  test.each([
    ['an empty file', '', 'the PEM is invalid'],
    ['no PEM', 'x', 'the PEM is invalid'],
  ])('CW01 with %s ends the start', async (_name, cert, reason) => {
    await folder.writeAuthority({ cert, key: '' });
    await using manager = managerWith('self-signed');
    const facts = { server: 'webhook', file: clientCa, reason };
    await expect(manager.start()).rejects.toMatchObject({ code: 'INVALID_CERTIFICATE', facts });
  });

  test('CW01 with a missing file ends the start', async () => {
    const tls = { certificate: { cert: pair.cert, key: pair.key } };
    const missing = `${clientCa}.missing`;
    await using manager = createManager({
      cluster: server.cluster,
      logger: silent,
      stopSignals: [],
      servers: { host, webhook: { port: 0, tls, clientCa: missing } },
    });
    const facts = { file: missing, reason: 'ENOENT' };
    await expect(manager.start()).rejects.toMatchObject({ code: 'INVALID_CERTIFICATE', facts });
  });
});
