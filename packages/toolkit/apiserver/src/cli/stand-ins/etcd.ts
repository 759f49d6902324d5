import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { UsageError } from '../flags/flag-values.ts';
import { parseGoFlags } from './go-flags.ts';

/** Serves `/health` where etcd would, because envtest waits for it. Stores nothing. */
export async function startEtcd(words: readonly string[]): Promise<Server> {
  const [text = ''] = (parseGoFlags(words).get('listen-client-urls') ?? '').split(',');
  if (!URL.canParse(text)) {
    throw new UsageError(`--listen-client-urls takes a list of URLs, not ${text}`);
  }
  const { hostname, port } = new URL(text);
  const server = createServer((_request, response) => response.end('{"health":"true"}'));
  server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
  return server;
}
