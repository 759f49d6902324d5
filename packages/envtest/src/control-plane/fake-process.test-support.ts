import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { parseArgs } from 'node:util';

/**
 * As much of kube-apiserver, or of etcd, as their supervisor needs: the one answers everything with its
 * pid, but finds the namespace `default` only when asked again, as right after a start; the other tells a
 * revision and prints what it is asked to compact.
 */
const { values } = parseArgs({
  strict: false,
  options: {
    'secure-port': { type: 'string' },
    'tls-cert-file': { type: 'string' },
    'tls-private-key-file': { type: 'string' },
    'listen-client-urls': { type: 'string' },
  },
});

const text = (name: string): string => String(values[name]);

let askedForDefault = 0;

const tellPid: RequestListener = (request, response) => {
  if (request.url === '/api/v1/namespaces/default')
    response.statusCode = [404][askedForDefault++] ?? 200;
  const body = JSON.stringify({ pid: process.pid, askedForDefault });
  response.setHeader('content-type', 'application/json').end(body);
};

const tellRevision: RequestListener = (request, response) => {
  request.setEncoding('utf8').once('data', (body: string) => {
    console.log(`${request.url} ${body}`);
    response.end(JSON.stringify({ header: { revision: '41' } }));
  });
};

if (values['secure-port'] === undefined) {
  createServer(tellRevision).listen(Number(new URL(text('listen-client-urls')).port), '127.0.0.1');
} else {
  const cert = readFileSync(text('tls-cert-file'));
  const key = readFileSync(text('tls-private-key-file'));
  createSecureServer({ cert, key }, tellPid).listen(Number(text('secure-port')), '127.0.0.1');
}
