// The server of the benchmarks, in a process of its own: `node server.ts` prints its two URLs.
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serverCertificate } from '../src/testing/certificates.test-support.ts';

const pod = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'bench', name: 'pod', uid: 'u', resourceVersion: '1' },
  spec: { containers: [{ name: 'main', image: 'x', args: ['a'.repeat(1200)] }] },
});
const line = Buffer.from(`{"type":"MODIFIED","object":${pod}}\n`);

/** `?events=N` streams N events; any other request receives one Pod. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  const events = Number(
    new URL(request.url ?? '', 'http://x').searchParams.get('timeoutSeconds') ?? '0',
  );
  response.writeHead(200, { 'content-type': 'application/json' });
  if (events === 0) {
    response.end(pod);
    return;
  }
  const batch = Buffer.concat(Array.from({ length: 40 }, () => line));
  let left = events / 40;
  const more = (): void => {
    while (left-- > 0) if (!response.write(batch)) return void response.once('drain', more);
    response.end();
  };
  more();
}

const plain = createServer(respond).listen(0, '127.0.0.1');
const secure = createTlsServer(serverCertificate, respond).listen(0, '127.0.0.1', () => {
  const ports = [plain, secure].map((server) => (server.address() as AddressInfo).port);
  process.stdout.write(`${JSON.stringify(ports)}\n`);
});
process.once('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
