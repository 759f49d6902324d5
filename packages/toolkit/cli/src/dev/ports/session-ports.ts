import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Project } from '../../project/project.ts';

/** The servers of a program, with the environment variable by which it learns their ports. */
export const portVariables = {
  metrics: 'METRICS_BIND_PORT',
  health: 'HEALTH_BIND_PORT',
  webhook: 'WEBHOOK_BIND_PORT',
} as const;

/** The ports of a program; without a webhook server it has two. */
export interface ProgramPorts {
  readonly metrics: number;
  readonly health: number;
  readonly webhook?: number;
}

/** A port that no other session chooses. */
interface Reservation {
  /** The port of `package.json`. */
  readonly wanted: number;
  readonly port: number;
  /**
   * Bound to the UDP port of the same number, which the servers of a program leave free: of two sessions that start at the same
   * time only one can bind it, and the operating system releases it also if the session is killed.
   */
  readonly socket: Socket;
}

const ATTEMPTS = 10;

/** The ports of the program of one session. Disposing them lets other sessions choose them. */
export class SessionPorts implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #reserved = new Map<keyof ProgramPorts, Reservation>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /**
   * Chooses the ports while the program does not run: those of the environment, else those of `package.json`, or free ones if
   * another program or session uses them.
   */
  async choose({
    metricsPort,
    healthPort,
    webhook,
  }: Pick<Project, 'metricsPort' | 'healthPort' | 'webhook'>): Promise<ProgramPorts> {
    return {
      metrics: await this.#portOf('metrics', metricsPort),
      health: await this.#portOf('health', healthPort),
      ...(webhook && { webhook: await this.#portOf('webhook', webhook.port) }),
    };
  }

  async #portOf(server: keyof ProgramPorts, wanted: number): Promise<number> {
    const given = Number(this.#env[portVariables[server]]);
    if (Number.isInteger(given) && given > 0) return given;
    const held = this.#reserved.get(server);
    if (held?.wanted === wanted && (await isFree(held.port))) return held.port;
    held?.socket.close();
    this.#reserved.delete(server);
    const reservation = await reserve(wanted);
    // Without a free port the program reports which one is in use.
    if (reservation === undefined) return wanted;
    this.#reserved.set(server, reservation);
    return reservation.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#reserved.values()) socket.close();
    this.#reserved.clear();
  }
}

/** The environment variables of these ports. */
export function portEnvironment(ports: ProgramPorts): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(ports).map(([server, port]) => [
      portVariables[server as keyof ProgramPorts],
      String(port),
    ]),
  );
}

async function reserve(wanted: number): Promise<Reservation | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = attempt === 0 ? wanted : await anyFreePort();
    const socket = await bound(port);
    if (socket === undefined) continue;
    if (await isFree(port)) return { wanted, port, socket };
    socket.close();
  }
  return undefined;
}

async function bound(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    socket.unref();
    return socket;
  } catch {
    socket.close();
    return undefined;
  }
}

async function isFree(port: number): Promise<boolean> {
  return (await listened(port)) !== undefined;
}

async function anyFreePort(): Promise<number> {
  return (await listened(0)) ?? 0;
}

/** Listens on a port of all addresses for a moment, and returns it; undefined if it is in use. */
async function listened(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    return typeof address === 'object' ? address?.port : undefined;
  } catch {
    return undefined;
  }
}
