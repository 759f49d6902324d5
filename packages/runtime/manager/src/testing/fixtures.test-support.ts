import { afterEach, jest } from '@jest/globals';
import {
  defineResource,
  type builtin,
  type ObjectOf,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { Controller } from '../controller/controller.ts';
import { FakeCache } from './fake-cache.test-support.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { WatchOptions } from '../sources/source-options.ts';

export interface WebApp extends KubernetesObject {
  spec?: { image?: string };
  status?: { ready?: boolean };
}

export const WebApp: ApiResource<WebApp> = defineResource<WebApp>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
});

export const silent: Logger = createLogger({ level: 'silent' });

/** A logger that records its lines. */
export function recordingLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  return { logger: createLogger({ level: 'debug', write }), lines };
}

/** A client for tests that send no request; every request fails. */
export function unusedClient(): Client {
  return createClient({ cluster: { server: 'http://127.0.0.1:1' }, retry: false });
}

/** Creates managers on fake caches, without network, and stops them after the test. */
export class ManagerPool {
  readonly #managers: Manager[] = [];

  readonly make = (options: ManagerOptions = {}): { manager: Manager; cache: FakeCache } => {
    const cache = new FakeCache();
    const manager = createManager({
      cache,
      client: unusedClient(),
      logger: silent,
      stopSignals: [],
      gracePeriod: 0,
      ...options,
    });
    this.#managers.push(manager);
    return { manager, cache };
  };

  async stopAll(): Promise<void> {
    await Promise.all(this.#managers.splice(0).map((manager) => manager.stop()));
  }
}

/** A pool for the tests of a file. After each test its managers are stopped, and real time is restored. */
export function managersOfTest(): ManagerPool {
  const pool = new ManagerPool();
  afterEach(async () => {
    jest.useRealTimers();
    await pool.stopAll();
  });
  return pool;
}

export const nothing = (): void => undefined;

/** Maps an object to the request with its name. */
export const toSelf = ({ name }: { readonly name: string }): { name: string } => ({ name });

/** A watch that maps every object to the request with its name. */
export function watchOf(resource: ApiResource): WatchOptions {
  return { resource, map: toSelf };
}

/** Starts a manager and waits until it has started. */
export async function running(manager: Manager): Promise<void> {
  manager.start().catch(() => undefined);
  await manager.started;
}

/** The value of the series of a metric that has these labels. */
export async function valueOf(
  manager: Manager,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { values } = (await manager.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  const match = values.find((value) =>
    Object.entries(labels).every(([label, text]) => value.labels[label] === text),
  );
  return match?.value;
}

/** The sum of the only series of a histogram. */
export async function sumOf(manager: Manager, name: string): Promise<number | undefined> {
  const metric = await manager.registry.getSingleMetric(name)?.get();
  const values = metric?.values as readonly { metricName: string; value: number }[] | undefined;
  return values?.find(({ metricName }) => metricName === `${name}_sum`)?.value;
}

export function objectOf(
  resource: ApiResource,
  name: string,
  rest: { namespace?: string; metadata?: object; [member: string]: unknown } = {},
): KubernetesObject {
  const { namespace = 'default', metadata = {}, ...members } = rest;
  const apiVersion =
    resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  return {
    apiVersion,
    kind: resource.kind,
    ...members,
    metadata: { namespace, name, ...metadata },
  };
}

/** An idle event loop does so many turns in about ten seconds; a busy machine delays sockets by more than a few. */
const MAX_TURNS = 4_000_000;

/** Resolves when the condition is true; checks it after every turn of the event loop. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await condition()); turns += 1) {
    if (turns > MAX_TURNS) throw new Error('the condition did not become true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise that the test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** The CustomResourceDefinition with which a server serves the kind. */
export function crdOf(resource: ApiResource): ObjectOf<typeof builtin.CustomResourceDefinition> {
  const { group, version, kind, plural } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}

/**
 * Replaces timers by ones that the test advances. Microtasks stay real, and `eventually` needs real immediates.
 */
export function useFakeTime(real: { readonly setImmediate?: boolean } = {}): void {
  const immediate = real.setImmediate === true ? (['setImmediate'] as const) : [];
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', ...immediate] });
}

/** A running manager with a controller that records the names of its requests. */
export async function notingManager(
  pool: ManagerPool,
  reconcile?: () => Promise<void>,
): Promise<{
  manager: Manager;
  cache: FakeCache;
  controller: Controller;
  seen: string[];
}> {
  const { manager, cache } = pool.make();
  const seen: string[] = [];
  const controller = manager.addController({
    name: 'noting',
    for: WebApp,
    reconcile: reconcile ?? (({ name }) => void seen.push(name)),
  });
  await running(manager);
  return { manager, cache, controller, seen };
}
