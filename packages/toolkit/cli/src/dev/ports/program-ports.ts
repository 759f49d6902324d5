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

/**
 * Chooses the ports of a program: those of the environment, else those of `package.json`, or free ones if another program, such as that
 * of a second session, uses them.
 */
export async function programPorts(
  { metricsPort, healthPort, webhook }: Pick<Project, 'metricsPort' | 'healthPort' | 'webhook'>,
  env: NodeJS.ProcessEnv,
): Promise<ProgramPorts> {
  const chosen = async (server: keyof ProgramPorts, port: number): Promise<number> => {
    const given = Number(env[portVariables[server]]);
    if (Number.isInteger(given) && given > 0) return given;
    return (await freePort(port)) ?? (await freePort(0)) ?? port;
  };
  return {
    metrics: await chosen('metrics', metricsPort),
    health: await chosen('health', healthPort),
    ...(webhook && { webhook: await chosen('webhook', webhook.port) }),
  };
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

/** Returns the port if it is free; for 0 any free one. */
async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    await once(server.listen(wanted), 'listening');
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
