import type { Fault, Site } from './fault.ts';
import { forward, type Link, type Side, type Tunnel } from './tunnel.ts';

/** Only the client can end a half-open connection: pings over HTTP/2 notice it, else the missing bookmarks. */
const halfOpen = { within: 100_000, withinOverHttp2: 20_000 };

type Treatment = (bytes: Buffer, link: Link, from: Side) => void;

/** Forwards this number of bytes from the server, then ends the connection. */
function after(length: number, end: (link: Link) => void): Treatment {
  let left = length;
  return (bytes, link, from) => {
    if (from === 'client' || left < 0) return forward(bytes, link, from);
    if (bytes.length < left) {
      left -= bytes.length;
      return forward(bytes, link, from);
    }
    link.client.write(bytes.subarray(0, left), () => end(link));
    left = -1;
    return undefined;
  };
}

function cutAfter(name: string, end: (link: Link) => void): Fault {
  return {
    name,
    via: 'tunnel',
    async strike({ tunnel, busy }) {
      tunnel.onData = after(1_500, end);
      await busy();
    },
  };
}

/** The connection stays open but loses bytes, so that the client has to close it. */
function silence(name: string, drops: (from: Side) => boolean): Fault {
  return {
    name,
    via: 'tunnel',
    ...halfOpen,
    async strike({ tunnel, busy }) {
      const silenced = new Set(tunnel.links);
      tunnel.onData = (bytes, link, from) => {
        if (!silenced.has(link) || !drops(from)) forward(bytes, link, from);
      };
      await busy();
    },
  };
}

/** Ends the next connections during the TLS handshake. */
function tornHandshakes(tunnel: Tunnel): void {
  let torn = 0;
  tunnel.onConnection = (link) => {
    const turn = torn++;
    if (turn === 0) link.client.destroy();
    else tunnel.dial(link);
    if (turn === 1) link.client.once('data', () => link.client.resetAndDestroy());
    if (turn === 2) link.server?.once('data', () => link.client.end());
  };
}

async function reopened({ log, tunnel, until }: Site): Promise<void> {
  const { opened } = log;
  tunnel.cut();
  await until(() => log.opened > opened);
}

/** Faults of networks, which do not interpret the bytes. */
export const tunnelFaults: readonly Fault[] = [
  cutAfter('the connection is closed (FIN) after some bytes', ({ client }) => void client.end()),
  cutAfter('the connection is reset (RST) after some bytes', ({ client }) =>
    client.resetAndDestroy(),
  ),
  {
    name: 'three TLS handshakes are cut',
    via: 'tunnel',
    watches: 5,
    async strike(site) {
      tornHandshakes(site.tunnel);
      site.tunnel.cut();
      await site.busy();
      await site.until(() => site.log.opened > 1);
    },
  },
  silence('half-open: no bytes pass in either direction', () => true),
  silence('half-open: no bytes arrive from the server', (from) => from === 'server'),
  {
    name: "half-open: a load balancer loses its server and keeps the client's connection",
    via: 'tunnel',
    ...halfOpen,
    async strike({ tunnel, busy }) {
      for (const { server } of tunnel.links) server?.removeAllListeners('end').destroy();
      await busy();
    },
  },
  {
    name: 'no bytes for 30 s, then all of them',
    via: 'tunnel',
    // Over HTTP/2 the client gives this connection up, and the next one, before the bytes arrive.
    watches: 3,
    async strike({ tunnel, busy, pass }) {
      const held: (() => void)[] = [];
      tunnel.onData = (...data) => void held.push(() => forward(...data));
      await busy();
      await pass(30_000);
      tunnel.onData = forward;
      for (const release of held) release();
    },
  },
  {
    name: 'one byte at a time',
    via: 'tunnel',
    watches: 1,
    async strike({ tunnel, busy }) {
      let last = Promise.resolve();
      tunnel.onData = (bytes, link, from) => {
        last = last.then(() => drip(bytes, link, from));
      };
      await busy();
      tunnel.onData = (...data) => void (last = last.then(() => forward(...data)));
      await last;
    },
  },
  {
    name: 'connections are refused for 60 s',
    via: 'tunnel',
    watches: 10,
    async strike({ tunnel, busy, pass }) {
      tunnel.refuse();
      tunnel.cut();
      await busy();
      await pass(60_000);
      await tunnel.listen();
    },
  },
  {
    name: 'connections are accepted and never served for 60 s',
    via: 'tunnel',
    dropsResponses: true,
    watches: 10,
    async strike({ tunnel, busy, pass }) {
      tunnel.onConnection = () => undefined;
      tunnel.cut();
      await busy();
      await pass(60_000);
      tunnel.onConnection = (link) => tunnel.dial(link);
    },
  },
  {
    name: '100 cuts in 10 s',
    via: 'tunnel',
    watches: 14,
    async strike({ tunnel, busy, pass }) {
      const writing = busy();
      for (let cut = 0; cut < 100; cut++) {
        tunnel.cut();
        await pass(100);
      }
      await writing;
    },
  },
  {
    name: 'the system clock jumps by days',
    via: 'tunnel',
    async strike(site) {
      const today = Date.now();
      for (const days of [3, -3]) {
        site.setDate(today + days * 86_400_000);
        await site.busy();
        await reopened(site);
      }
    },
  },
];

async function drip(bytes: Buffer, link: Link, from: Side): Promise<void> {
  for (const byte of bytes) {
    forward(Buffer.of(byte), link, from);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
