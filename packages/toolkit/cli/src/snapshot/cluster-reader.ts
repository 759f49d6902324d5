import { randomUUID } from 'node:crypto';
import { isForbidden, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { CliError } from '../errors.ts';
import { findResource, type Served } from '../objects/find-resource.ts';
import { objectPath } from '../objects/object-path.ts';
import { isJsonObject } from '../types/definition/custom-kind.ts';
import { listObjects, type ListSelection } from './list-objects.ts';
import { invalidResponse, readObject } from './response-body.ts';
import type { SnapshotObjects } from './snapshot-objects.ts';

/** The part of a cluster that a snapshot reads. */
export interface ClusterSelection {
  /** The words of kinds; `undefined` for all. */
  readonly kinds: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly selector: string | undefined;
  readonly secrets: boolean;
  readonly skipsForbidden: boolean;
  /** The names of the built-in kinds that can be restored (`nameOf`). */
  readonly restorable: ReadonlySet<string>;
  /** Receives a line about each kind. */
  readonly report: (line: string) => void;
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

/** Kinds that are read only if they are named. A test cannot reach the webhooks, and without them each write would fail. */
const namedOnly: ReadonlySet<string> = new Set([
  'events',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'secrets',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/** Another version of the Events of the core group. */
const aliases: ReadonlySet<string> = new Set(['events.events.k8s.io']);

const definitionsName = 'customresourcedefinitions.apiextensions.k8s.io';
const neededVerbs = ['create', 'list', 'watch'];

/** Reads the objects of a cluster: the selected ones, their namespaces, and the definitions of their kinds. */
export class ClusterReader {
  readonly #client: Client;
  readonly #selection: ClusterSelection;
  readonly #forbidden: string[] = [];
  /** By the name of the definition, which is that of its resource. */
  readonly #definitions = new Map<string, Definition>();

  constructor(client: Client, selection: ClusterSelection) {
    this.#client = client;
    this.#selection = selection;
  }

  /**
   * Throws `RESOURCE_NOT_FOUND`, `SNAPSHOT_FORBIDDEN`, `SNAPSHOT_ENDLESS`, `SNAPSHOT_RESPONSE_INVALID` and the errors of
   * requests.
   */
  async read(objects: SnapshotObjects): Promise<void> {
    const all = await this.#served();
    await this.#readDefinitions(all, objects);
    for (const resource of await this.#chosen(all)) await this.#readKind(resource, objects);
    await this.#readNamespaces(all, objects);
    if (this.#forbidden.length === 0) return;
    const kinds = this.#forbidden.join(', ');
    if (!this.#selection.skipsForbidden) throw new CliError('SNAPSHOT_FORBIDDEN', { kinds });
    this.#selection.report(`skipped, because listing is forbidden: ${kinds}`);
  }

  /** The resources that can be created and listed, by name in all their versions, the preferred one first. */
  async #served(): Promise<ReadonlyMap<string, readonly Served[]>> {
    const found = new Map<string, Served[]>();
    for (const resource of await this.#client.discovery.resources()) {
      if (!neededVerbs.every((verb) => resource.verbs.includes(verb))) continue;
      found.set(nameOf(resource), [...(found.get(nameOf(resource)) ?? []), resource]);
    }
    return found;
  }

  async #readDefinitions(
    all: ReadonlyMap<string, readonly Served[]>,
    objects: SnapshotObjects,
  ): Promise<void> {
    const [resource] = all.get(definitionsName) ?? [];
    if (resource === undefined) return;
    const everything = { namespace: undefined, selector: undefined };
    const found = await this.#list(resource, everything, objects, (object) => object);
    const path = objectPath(resource, undefined);
    for (const object of found)
      this.#definitions.set(object.metadata?.name ?? '', checkedDefinition(object, path));
  }

  /** The resources to read, each in one version. */
  async #chosen(all: ReadonlyMap<string, readonly Served[]>): Promise<readonly Served[]> {
    const { kinds, secrets, namespaces } = this.#selection;
    const named = new Set<string>();
    for (const word of kinds ?? []) named.add(nameOf(await findResource(this.#client, word)));
    const isChosen = (name: string, namespaced: boolean): boolean => {
      if (name === definitionsName || aliases.has(name)) return false;
      if (named.has(name) || (name === 'secrets' && secrets)) return true;
      return (
        kinds === undefined && !namedOnly.has(name) && (namespaced || namespaces === undefined)
      );
    };
    return [...all].flatMap(([name, versions]) => {
      const [preferred] = versions;
      if (preferred === undefined || !isChosen(name, preferred.namespaced)) return [];
      return this.#versionToRead(name, versions) ?? [];
    });
  }

  /** The storage version of a custom resource, if it is served; `undefined` for a kind that cannot be restored. */
  #versionToRead(name: string, versions: readonly Served[]): Served | undefined {
    const definition = this.#definitions.get(name);
    if (definition === undefined) {
      if (this.#selection.restorable.has(name)) return versions[0];
      this.#selection.report(`skipped ${name}: the server in memory has no such kind`);
      return undefined;
    }
    const storage = definition.spec.versions.find((version) => version.storage)?.name;
    return versions.find(({ version }) => version === storage) ?? versions[0];
  }

  async #readKind(resource: Served, objects: SnapshotObjects): Promise<void> {
    const { namespaces, selector } = this.#selection;
    const places = resource.namespaced ? (namespaces ?? [undefined]) : [undefined];
    let count = 0;
    for (const namespace of places) {
      const selected = { namespace, selector };
      const found = await this.#list(resource, selected, objects, (object) =>
        objects.saved(object),
      );
      for (const object of found) if (objects.add(object)) count++;
    }
    const definition = this.#definitions.get(nameOf(resource));
    if (definition !== undefined) objects.add(objects.saved(definition));
    if (count > 0) this.#selection.report(`${nameOf(resource)}: ${count}`);
  }

  /**
   * Lists objects, and returns what `keep` makes of each, since the whole objects of a large list need much memory. Remembers a kind
   * that may not be listed, and ignores one that has just been removed: both have no objects.
   */
  async #list<Kept>(
    resource: Served,
    selection: ListSelection,
    objects: SnapshotObjects,
    keep: (object: KubernetesObject) => Kept,
  ): Promise<readonly Kept[]> {
    let kept: Kept[] = [];
    try {
      for await (const page of listObjects(this.#client, resource, selection)) {
        if (page.isFirst) kept = [];
        objects.saw(page.resourceVersion);
        for (const item of page.items) kept.push(keep(item));
      }
      return kept;
    } catch (error) {
      if (isNotFound(error)) return [];
      if (!isForbidden(error)) throw error;
      if (!this.#forbidden.includes(nameOf(resource))) this.#forbidden.push(nameOf(resource));
      return [];
    }
  }

  /** Reads the namespaces of the objects that no list had. */
  async #readNamespaces(
    all: ReadonlyMap<string, readonly Served[]>,
    objects: SnapshotObjects,
  ): Promise<void> {
    const [resource] = all.get('namespaces') ?? [];
    if (resource === undefined) return;
    const names = new Set([...objects.namespaces, ...(this.#selection.namespaces ?? [])]);
    for (const name of names) {
      const namespace = await this.#namespace(resource, name, objects);
      if (namespace !== undefined) objects.add(objects.saved(namespace));
    }
  }

  /**
   * Returns a namespace. One that may not be read has only its name, since objects can be created in no missing one. If it has just
   * been deleted, its objects are removed, and the result is `undefined`.
   */
  async #namespace(
    resource: Served,
    name: string,
    objects: SnapshotObjects,
  ): Promise<KubernetesObject | undefined> {
    const path = objectPath(resource, undefined, name);
    try {
      const { body } = await this.#client.request({ path });
      return readObject(body, { resource, path });
    } catch (error) {
      // A namespace that the command line names may be misspelled.
      if (isNotFound(error) && objects.namespaces.has(name)) {
        const count = objects.removeNamespace(name);
        const removed = `left out ${count} objects of the namespace ${name}`;
        this.#selection.report(`${removed}, which no longer exists`);
        return undefined;
      }
      if (!this.#selection.skipsForbidden || !isForbidden(error)) throw error;
      this.#selection.report(
        `the namespace ${name} has only its name, because reading is forbidden`,
      );
      return namedNamespace(name);
    }
  }
}

/** Checks the members of a definition that the reader needs. */
function checkedDefinition(object: KubernetesObject, path: string): Definition {
  const { spec } = object as { readonly spec?: unknown };
  const versions = isJsonObject(spec) ? spec['versions'] : undefined;
  if (Array.isArray(versions) && versions.every(hasName)) return object as Definition;
  const reason = 'spec.versions must be a list of versions with names';
  throw invalidResponse(path, reason, { object: object.metadata?.name });
}

function hasName(value: unknown): boolean {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

function namedNamespace(name: string): KubernetesObject & Readonly<Record<string, unknown>> {
  const creationTimestamp = '1970-01-01T00:00:00Z';
  const labels = { 'kubernetes.io/metadata.name': name };
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: randomUUID(), resourceVersion: '1', creationTimestamp, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

/** Returns the name of a resource as kubectl prints it: `PLURAL.GROUP`, or `PLURAL` in the core group. */
export function nameOf({ plural, group }: Pick<Served, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
