import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { portEnvironment, SessionPorts } from './session-ports.ts';

async function listening(port = 0): Promise<AsyncDisposable & { readonly port: number }> {
  const server: Server = createServer();
  await once(server.listen(port), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Three different ports that nothing uses. */
async function unused(): Promise<readonly [number, number, number]> {
  await using first = await listening();
  await using second = await listening();
  await using third = await listening();
  return [first.port, second.port, third.port];
}

describe('the ports of a session', () => {
  test('are those of package.json', async () => {
    const [metricsPort, healthPort, port] = await unused();
    await using ports = new SessionPorts({});
    const chosen = { metrics: metricsPort, health: healthPort, webhook: port };
    expect(await ports.choose({ metricsPort, healthPort, webhook: { port } })).toEqual(chosen);
    expect(await ports.choose({ metricsPort, healthPort })).toEqual({
      metrics: metricsPort,
      health: healthPort,
    });
  });

  test('are others if a program listens there', async () => {
    await using taken = await listening();
    const [, healthPort] = await unused();
    await using ports = new SessionPorts({});
    const { metrics } = await ports.choose({ metricsPort: taken.port, healthPort });
    expect(metrics).not.toBe(taken.port);
    await using free = await listening(metrics);
    expect(free.port).toBe(metrics);
  });

  test('differ between two sessions that start at the same time, and stay while the program restarts', async () => {
    const [metricsPort, healthPort] = await unused();
    const project = { metricsPort, healthPort };
    await using one = new SessionPorts({});
    await using other = new SessionPorts({});
    const [first, second] = await Promise.all([one.choose(project), other.choose(project)]);
    const all = [first.metrics, first.health, second.metrics, second.health];
    expect(new Set(all).size).toBe(4);
    expect(await one.choose(project)).toEqual(first);
    expect(await other.choose(project)).toEqual(second);
  });

  test('are free for the next session after the end', async () => {
    const [metricsPort, healthPort] = await unused();
    const first = new SessionPorts({});
    await first.choose({ metricsPort, healthPort });
    await first[Symbol.asyncDispose]();
    await using next = new SessionPorts({});
    const chosen = await next.choose({ metricsPort, healthPort });
    expect(chosen).toEqual({ metrics: metricsPort, health: healthPort });
  });

  test('are those of the environment, which is that of the program too', async () => {
    await using taken = await listening();
    const [metricsPort, healthPort] = await unused();
    await using ports = new SessionPorts({ METRICS_BIND_PORT: String(taken.port) });
    const chosen = await ports.choose({ metricsPort, healthPort });
    expect(portEnvironment(chosen)).toEqual({
      METRICS_BIND_PORT: String(taken.port),
      HEALTH_BIND_PORT: String(healthPort),
    });
  });
});
