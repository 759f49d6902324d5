import { hostname } from 'node:os';
import {
  parseObjectKey,
  type Clock,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import type { ActionReport } from '../inspector/actions.ts';
import type { InspectedCluster, InspectedMetrics } from '../inspector/inspected-manager.ts';
import type { Inspector } from '../inspector/inspector.ts';
import type { Logger } from '../logging/logger.ts';
import type { PlainResponse } from '../servers/http-server.ts';
import type { ControllerSet } from './controller-set.ts';

export interface InspectorDependencies {
  readonly clock: Clock;
  readonly controllers: ControllerSet;
  readonly metrics: InspectedMetrics;
  readonly log: Logger;
  /** The main cluster, and the further ones. */
  readonly clusters: () => readonly InspectedCluster[];
  readonly recorder: () => EventRecorder;
  /** The namespace of the Pod, or of the context in a kubeconfig. */
  readonly namespace: () => Promise<string | undefined>;
}

const PATH = '/debug/inspector';
const REDIRECT: PlainResponse = { status: 302, headers: { location: PATH }, body: '' };

/** True for the paths of the page, which has no data. A browser requests it without a token. */
export function isInspectorPage(path: string): boolean {
  return path === '/' || path === PATH;
}

/**
 * The routes of the inspector. Its code is loaded with the first request for one of them, so that a manager starts without
 * it.
 */
export class ManagerInspector {
  readonly #dependencies: InspectorDependencies;
  readonly #hasActions: boolean;
  #inspector: Promise<Inspector> | undefined;

  constructor(dependencies: InspectorDependencies, hasActions: boolean) {
    this.#dependencies = dependencies;
    this.#hasActions = hasActions;
  }

  /** The response to a GET request; `undefined` for a path of another part. */
  respond(
    { pathname, searchParams }: URL,
    signal: AbortSignal,
  ): Promise<PlainResponse> | PlainResponse | undefined {
    if (pathname === '/') return REDIRECT;
    if (pathname !== PATH && !pathname.startsWith(`${PATH}/`)) return undefined;
    const path = pathname.slice(PATH.length);
    return this.#loaded().then((one) => one.respond(path, searchParams, signal));
  }

  /** The response to a POST request; `undefined` for a path that has no actions. */
  act({ pathname, searchParams }: URL): Promise<PlainResponse> | undefined {
    if (pathname !== `${PATH}/action`) return undefined;
    return this.#loaded().then((one) => one.act(searchParams));
  }

  /** Ends every stream, and the requests to the API server. */
  async stop(): Promise<void> {
    (await this.#inspector)?.stop();
  }

  #loaded(): Promise<Inspector> {
    return (this.#inspector ??= this.#load());
  }

  async #load(): Promise<Inspector> {
    const { Inspector } = await import('../inspector/inspector.ts');
    const { clock, controllers, metrics, clusters } = this.#dependencies;
    const manager = {
      clock,
      metrics,
      clusters,
      hasActions: this.#hasActions,
      controllers: () => controllers.inspected(),
    };
    if (!this.#hasActions) return new Inspector(manager, undefined);
    return new Inspector(manager, {
      steered: (name) => controllers.steered(name),
      report: (report) => this.#report(report),
    });
  }

  /** Logs an action, and records an Event about the object of its request, or about the Pod of this process. */
  async #report({ controller, request, action, value }: ActionReport): Promise<void> {
    const { log, recorder } = this.#dependencies;
    log.warn({ controller, request, action, value }, 'action of the inspector');
    const object = this.#objectOf(controller, request) ?? (await this.#pod());
    if (object === undefined) return;
    const what = request === undefined ? controller : `${request} of ${controller}`;
    const note = `${action} ${what}${value === undefined ? '' : ` ${value}`}, by the inspector`;
    recorder().record(object, { reason: 'Inspector', action, note });
  }

  #objectOf(name: string, request: string | undefined): DeepReadonly<KubernetesObject> | undefined {
    const { controllers } = this.#dependencies;
    if (request === undefined) return undefined;
    const controller = controllers.inspected().find((one) => one.name === name);
    const cluster = controller?.parts.clusterOf(request);
    // The recorder writes to the main cluster.
    if (cluster?.primary === undefined || cluster.name !== undefined) return undefined;
    try {
      const object = parseObjectKey(request);
      return cluster.cache.get(cluster.primary, object, { projection: 'metadata' });
    } catch {
      return undefined; // The watch has not synced.
    }
  }

  async #pod(): Promise<KubernetesObject | undefined> {
    const namespace = await this.#dependencies.namespace().catch(() => undefined);
    if (namespace === undefined) return undefined;
    return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: hostname() } };
  }
}
