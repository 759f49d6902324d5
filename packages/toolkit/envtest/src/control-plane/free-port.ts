import { once } from 'node:events';
import { createServer } from 'node:net';
import { EnvtestError } from '../errors.ts';

/** Returns different ports of 127.0.0.1 that are free at the time of the call. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map((server) => listen(server, 0)));
  await Promise.all(servers.map(close));
  return ports;
}

/** Throws `PORT_IN_USE` if another process listens on the port. */
export async function checkPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await listen(server, port);
  } catch (error) {
    throw new EnvtestError('PORT_IN_USE', { port }, { cause: error });
  }
  await close(server);
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function close(server: ReturnType<typeof createServer>): Promise<void> {
  server.close();
  await once(server, 'close');
}
