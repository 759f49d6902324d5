import {
  checkCount,
  checkFlag,
  checkMethods,
  checkOptions,
  checkSignal,
  invalidOption,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { applySetLabels } from './apply-set.ts';

/** An object for `applyAll`. It names its own kind, which the function finds by the discovery of the server. */
export interface AppliedObject extends KubernetesObject {
  apiVersion: string;
  kind: string;
}

/** How the objects of an owner are applied. */
export interface ApplySetOptions {
  /**
   * The object that owns the others, as the cache or the client returned it. Its labels and annotations identify the
   * set and say where its members are (KEP-3659).
   */
  readonly owner: DeepReadonly<KubernetesObject>;
  /**
   * Deletes what the owner applied before and no longer names. Default false: former objects stay, and a later call
   * with `prune` still finds them.
   */
  readonly prune?: boolean | undefined;
  /** Validates all writes without storing them. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Takes over fields that other managers own. Default true, as in `client.apply`. */
  readonly force?: boolean | undefined;
  /**
   * Makes the owner the controller of the objects that it can own: those in its namespace, or all if it is
   * cluster-scoped. Default true.
   */
  readonly ownerReferences?: boolean | undefined;
  /** The most requests at a time. Default 8. */
  readonly concurrency?: number | undefined;
  /**
   * The tool that changes the set, as `name/version`. A set of another tool is refused. Default `keelson/v1`; with
   * `kubectl/v1.36`, for example, `kubectl apply --prune --applyset` may change the set too.
   */
  readonly tooling?: string | undefined;
}

/** The client and the options of `applyAll`. */
export interface ApplyAllOptions extends ApplySetOptions {
  /** The client of the owner's cluster. Its field manager owns the applied fields. */
  readonly client: Client;
  /** Aborts the requests; a later call continues where this one ended. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

const names = [
  'client',
  'owner',
  'prune',
  'dryRun',
  'force',
  'ownerReferences',
  'concurrency',
  'tooling',
  'signal',
];

/** Throws `INVALID_OPTION` for options with which `applyAll` cannot begin. */
export function checkApplyAll(
  objects: readonly DeepReadonly<KubernetesObject>[],
  options: ApplyAllOptions,
): void {
  checkOptions(options, names, 'applyAll');
  const { client, owner, prune, dryRun, force, ownerReferences, concurrency, tooling, signal } =
    options;
  checkMethods(client, ['get', 'list', 'apply', 'patch', 'delete'], 'applyAll.client');
  const { apiVersion, kind, metadata } = (owner as Partial<typeof owner> | null) ?? {};
  if (!apiVersion || !kind || !metadata?.name || !metadata.uid) {
    throw invalidOption('applyAll.owner', 'must be an object from the cache or the client');
  }
  checkFlag(prune, 'applyAll.prune');
  checkFlag(dryRun, 'applyAll.dryRun');
  checkFlag(force, 'applyAll.force');
  checkFlag(ownerReferences, 'applyAll.ownerReferences');
  if (concurrency !== undefined) checkCount(concurrency, 'applyAll.concurrency');
  if (tooling !== undefined && !/^\S{1,100}\/[^\s/]{1,100}$/.test(tooling)) {
    throw invalidOption('applyAll.tooling', 'must be a tool and its version such as keelson/v1');
  }
  checkSignal(signal, 'applyAll.signal');
  if (!Array.isArray(objects)) throw invalidOption('applyAll.objects', 'must be a list of objects');
  for (const [index, object] of objects.entries())
    checkObject(object, `applyAll.objects[${index}]`);
}

function checkObject(object: unknown, where: string): void {
  const { apiVersion, kind, metadata } = (object as Partial<AppliedObject> | null) ?? {};
  if (!apiVersion || !kind || typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw invalidOption(where, 'must have apiVersion and kind');
  }
  const { name } = metadata ?? {};
  if (name !== undefined && typeof name !== 'string') {
    throw invalidOption(`${where}.metadata.name`, 'must be a text', { kind });
  }
  if (!name) throw invalidOption(`${where}.metadata.name`, 'is missing', { kind });
  if (metadata?.labels?.[applySetLabels.partOf] !== undefined) {
    throw invalidOption(`${where}.metadata.labels`, 'must not name a set', { kind });
  }
}
