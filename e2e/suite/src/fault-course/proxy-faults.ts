import type { KubernetesObject } from '@keelson/apimachinery';
import type { Fault, Site } from './fault.ts';
import { forward, type Exchange } from './http-proxy.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };

/** Changes the next line of the open watch. */
function nextLine(name: string, onLine: (line: Buffer, exchange: Exchange) => void): Fault {
  return {
    name,
    via: 'proxy',
    async strike({ proxy, busy }) {
      proxy.onPiece = (line, exchange) => {
        proxy.restore();
        onLine(line, exchange);
      };
      await busy();
    },
  };
}

type Responder = (exchange: Exchange, turn: number) => void;

/** Cuts the watch and replaces the responses to the next `times` requests. */
function respondedWith(name: string, times: number, respond: Responder): Fault {
  return {
    name,
    via: 'proxy',
    watches: times + 4,
    async strike({ proxy, busy, until }) {
      let turn = 0;
      proxy.onRequest = (exchange) => {
        if (turn === times) return false;
        respond(exchange, turn++);
        return true;
      };
      proxy.cut();
      await busy();
      await until(() => turn === times);
    },
  };
}

function statusOf(code: number, reason: string, details: object = {}): string {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason };
  return JSON.stringify({ ...status, message: reason, details });
}

function errorResponse(
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): Responder {
  return ({ response }) => {
    response.writeHead(code, { ...json, ...headers }).end(statusOf(code, reason));
  };
}

function expire({ response }: Exchange): void {
  if (!response.writableEnded) {
    response.end(`{"type":"ERROR","object":${statusOf(410, 'Expired')}}\n`);
  }
}

function endAtOnce({ response }: Exchange): void {
  response.writeHead(200, json).end();
}

/** Forwards the first bytes of a piece and then closes the connection. */
function portion(most: number): (piece: Buffer, exchange: Exchange) => void {
  const left = new Map<Exchange, number>();
  return (piece, exchange) => {
    const { response } = exchange;
    const room = left.get(exchange) ?? most;
    left.set(exchange, room - piece.length);
    if (room <= 0) return;
    response.write(piece.subarray(0, room), () => {
      if (piece.length >= room) response.socket?.resetAndDestroy();
    });
  };
}

/** Cuts the next two initial states: in the middle, and at the final bookmark. */
async function cutStarts({ proxy, acquire, busy, until }: Site): Promise<void> {
  const cut = new Set<Exchange>();
  let pieces = 0;
  proxy.onPiece = (line, exchange) => {
    const isLast = cut.size === 0 ? ++pieces === 100 : line.includes('initial-events-end');
    if (cut.has(exchange)) return;
    if (isLast && cut.size < 2) breakOff(exchange, cut);
    else forward(line, exchange);
  };
  acquire();
  await busy();
  await until(() => cut.size === 2);
}

function breakOff(exchange: Exchange, cut: Set<Exchange>): void {
  cut.add(exchange);
  exchange.response.socket?.resetAndDestroy();
}

/** The open watch receives 410, and the next two requests for the whole state are cut in the middle. */
async function cutRelists({ proxy, busy, until }: Site): Promise<void> {
  const before = new Set(proxy.open);
  const cut = new Set<Exchange>();
  let pieces = 0;
  proxy.onPiece = (line, exchange) => {
    if (before.has(exchange)) expire(exchange);
    else if (cut.size < 2 && ++pieces % 50 === 0) breakOff(exchange, cut);
    else if (!cut.has(exchange)) forward(line, exchange);
  };
  await busy();
  await until(() => cut.size === 2);
}

/** A list is served in pages, as by a server without a watch cache, and each page is cut once. */
async function cutPages({ proxy, acquire, busy, until, log }: Site): Promise<void> {
  let page = 0;
  const cut = new Set<number>();
  proxy.onRequest = ({ verb, url, response }) => {
    if (verb === 'watch-list') refuse(response);
    if (verb === 'list') page = url.searchParams.has('continue') ? page + 1 : 0;
    url.searchParams.delete('resourceVersion', '0');
    url.searchParams.set('limit', '100');
    return verb === 'watch-list';
  };
  proxy.onPiece = (piece, exchange) => {
    const { verb, response } = exchange;
    if (verb === 'list' && !cut.has(page)) {
      cut.add(page);
      response.write(piece.subarray(0, piece.length / 2), () => response.socket?.resetAndDestroy());
    } else forward(piece, exchange);
  };
  acquire();
  await busy();
  await until(() => cut.size >= 3 && log.opened > 0);
  proxy.restore();
}

function refuse(response: Exchange['response']): void {
  response.writeHead(422, json).end(statusOf(422, 'Invalid'));
}

/** A watch gets a bookmark every minute, as from a busy real server, and then no data at all. */
async function silenceAfterBookmarks({ proxy, busy, pass }: Site): Promise<void> {
  let version = '';
  proxy.onPiece = (line, exchange) => {
    version = versionIn(line);
    forward(line, exchange);
  };
  await busy();
  for (let minute = 0; minute < 3; minute++) {
    await pass(60_000);
    for (const exchange of proxy.open) forward(bookmark(version), exchange);
  }
  const silenced = new Set(proxy.open);
  proxy.onPiece = (line, exchange) => {
    if (!silenced.has(exchange)) forward(line, exchange);
  };
  await busy();
}

function versionIn(line: Buffer): string {
  const { object } = JSON.parse(line.toString()) as { object: KubernetesObject };
  return object.metadata?.resourceVersion ?? '';
}

function bookmark(resourceVersion: string): Buffer {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } };
  return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

/** Faults of responses that gateways, load balancers and servers cause. */
export const proxyFaults: readonly Fault[] = [
  nextLine('a line is cut in the middle', (line, { response }) => {
    response.write(line.subarray(0, line.length / 2), () => response.socket?.end());
  }),
  nextLine('a chunk header is cut in the middle', (line, { response }) => {
    response.write(line, () => response.socket?.end('3'));
  }),
  nextLine('the response ends normally in the middle of a line', (line, { response }) => {
    response.end(line.subarray(0, line.length / 2));
  }),
  nextLine('a line that is not JSON', (_line, { response }) => {
    response.write('<html>502 Bad Gateway</html>\n');
  }),
  nextLine('a line whose object is not JSON', (line, { response }) => {
    const torn = line.subarray(0, line.length / 2);
    response.write(Buffer.concat([torn, line.subarray(line.length - 8)]));
  }),
  { ...nextLine('410 as an event', (_line, exchange) => expire(exchange)), forgets: true },
  {
    name: '410, and the relist is cut twice',
    via: 'proxy',
    forgets: true,
    strike: cutRelists,
  },
  { ...respondedWith('410 as a status', 1, errorResponse(410, 'Expired')), forgets: true },
  {
    ...respondedWith('410, then three responses that end at once', 3, endAtOnce),
    forgets: true,
  },
  respondedWith(
    '429 with Retry-After, twice',
    2,
    errorResponse(429, 'TooManyRequests', { 'retry-after': '3' }),
  ),
  respondedWith('500, 502, 503, 504 with an HTML page', 4, ({ response }, turn) => {
    const code = [500, 502, 503, 504][turn] ?? 500;
    response.writeHead(code, html).end(`<html><title>${code}</title></html>`);
  }),
  respondedWith('200 with an HTML page', 2, ({ response }) => {
    response.writeHead(200, html).end('<html><title>log in</title></html>');
  }),
  respondedWith('401 once', 1, errorResponse(401, 'Unauthorized')),
  respondedWith('403 for a while', 3, errorResponse(403, 'Forbidden')),
  {
    name: 'every response ends at once for 20 s',
    via: 'proxy',
    watches: 24,
    forgets: true,
    async strike({ proxy, busy, pass }) {
      proxy.onRequest = (exchange) => {
        endAtOnce(exchange);
        return true;
      };
      proxy.cut();
      await busy();
      await pass(20_000);
      proxy.restore();
    },
  },
  {
    name: 'connections are reset after 4 kB for 20 s',
    via: 'proxy',
    watches: 14,
    async strike({ proxy, busy, pass }) {
      proxy.onPiece = portion(4_096);
      const writing = busy();
      await pass(20_000);
      await writing;
      proxy.restore();
    },
  },
  {
    name: 'the initial state is cut twice before its bookmark',
    via: 'proxy',
    strikesTheStart: true,
    strike: cutStarts,
  },
  {
    name: 'the bookmark that ends the initial state never arrives',
    via: 'proxy',
    dropsResponses: true,
    strikesTheStart: true,
    async strike({ proxy, acquire, busy, pass }) {
      proxy.onPiece = (line, exchange) => {
        if (!line.includes('initial-events-end')) forward(line, exchange);
      };
      acquire();
      await busy();
      await pass(11_000);
      proxy.restore();
    },
  },
  {
    name: 'each page of a paged list is cut once',
    via: 'proxy',
    strikesTheStart: true,
    strike: cutPages,
  },
  {
    name: 'half-open: silence after a bookmark every minute',
    via: 'proxy',
    within: 100_000,
    strike: silenceAfterBookmarks,
  },
  {
    name: 'old events are sent again',
    via: 'proxy',
    async strike({ proxy, busy }) {
      const earlier: Buffer[] = [];
      proxy.onPiece = (line, exchange) => {
        forward(line, exchange);
        if (earlier.push(Buffer.from(line)) === 20)
          for (const old of earlier) forward(old, exchange);
      };
      await busy();
    },
  },
];
