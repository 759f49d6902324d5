import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/**
 * Simulates the parts of kube-apiserver and etcd that the supervisor uses. kube-apiserver responds to every request
 * with its pid, once etcd listens; its first response for the namespace `default` is a 404, as right after a real
 * start. etcd returns a revision and prints each compaction request.
 */
const { values } = parseArgs({
  strict: false,
  options: {
    'secure-port': { type: 'string' },
    'tls-cert-file': { type: 'string' },
    'tls-private-key-file': { type: 'string' },
    'listen-client-urls': { type: 'string' },
    'etcd-servers': { type: 'string' },
  },
});

const text = (name: string): string => String(values[name]);

let defaultRequests = 0;

const respondWithPid: RequestListener = (request, response) => {
  if (request.url === '/api/v1/namespaces/default')
    response.statusCode = [404][defaultRequests++] ?? 200;
  const body = JSON.stringify({ pid: process.pid, defaultRequests });
  response.setHeader('content-type', 'application/json').end(body);
};

const respondWithRevision: RequestListener = (request, response) => {
  request.setEncoding('utf8').once('data', (body: string) => {
    console.log(`${request.url} ${body}`);
    response.end(JSON.stringify({ header: { revision: '41' } }));
  });
};

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

if (values['secure-port'] === undefined) {
  createServer(respondWithRevision).listen(
    Number(new URL(text('listen-client-urls')).port),
    '127.0.0.1',
  );
} else {
  while (!(await isListening(text('etcd-servers')))) await delay(5);
  const cert = readFileSync(text('tls-cert-file'));
  const key = readFileSync(text('tls-private-key-file'));
  createSecureServer({ cert, key }, respondWithPid).listen(
    Number(text('secure-port')),
    '127.0.0.1',
  );
}
