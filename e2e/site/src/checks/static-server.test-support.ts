import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** A server of files on a free port of the loopback interface, as a host of static pages has it. */
export interface StaticServer extends AsyncDisposable {
  /** `http://127.0.0.1:40000`, without a slash at the end. */
  readonly origin: string;
}

/** Serves the files of a folder below a path: `base` has slashes at both ends. */
export async function serveFolder(folder: string, base: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    void respond({ folder, base }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function respond(
  { folder, base }: { folder: string; base: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = decodeURIComponent((request.url ?? '').split('?', 1)[0] ?? '');
  const inside = path.startsWith(base) ? normalize(path.slice(base.length - 1)) : '/missing';
  const file = join(folder, inside.endsWith('/') ? `${inside}index.html` : inside);
  try {
    const body = await readFile(file);
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.end(body);
  } catch {
    response.statusCode = 404;
    response.end();
  }
}
