import { randomUUID } from 'node:crypto';
import { isForbidden, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { CliError } from '../errors.ts';
import { findResource, type Served } from '../objects/find-resource.ts';
import { objectPath } from '../objects/object-path.ts';
import { listObjects } from './list-objects.ts';
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

  /** Throws `RESOURCE_NOT_FOUND`, `SNAPSHOT_FORBIDDEN`, `SNAPSHOT_ENDLESS` and the errors of requests. */
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
    await this.#list(resource, { namespace: undefined, selector: undefined }, objects, (object) => {
      this.#definitions.set(object.metadata?.name ?? '', object as Definition);
    });
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
      await this.#list(resource, { namespace, selector }, objects, (object) => {
        objects.add(object);
        count++;
      });
    }
    const definition = this.#definitions.get(nameOf(resource));
    if (definition !== undefined) objects.add(definition);
    if (count > 0) this.#selection.report(`${nameOf(resource)}: ${count}`);
  }

  /** Lists objects. Remembers a kind that may not be listed, and ignores one that has just been removed. */
  async #list(
    resource: Served,
    selection: { readonly namespace: string | undefined; readonly selector: string | undefined },
    objects: SnapshotObjects,
    found: (object: KubernetesObject) => void,
  ): Promise<void> {
    try {
      for await (const page of listObjects(this.#client, resource, selection)) {
        objects.saw(page.resourceVersion);
        for (const item of page.items) found(item);
      }
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isForbidden(error)) throw error;
      if (!this.#forbidden.includes(nameOf(resource))) this.#forbidden.push(nameOf(resource));
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
      objects.add(await this.#namespace(resource, name));
    }
  }

  /** Returns a namespace. One that may not be read has only its name, since objects can be created in no missing one. */
  async #namespace(resource: Served, name: string): Promise<KubernetesObject> {
    try {
      const { body } = await this.#client.request({ path: objectPath(resource, undefined, name) });
      return JSON.parse(body) as KubernetesObject;
    } catch (error) {
      if (!this.#selection.skipsForbidden || !isForbidden(error)) throw error;
      this.#selection.report(
        `the namespace ${name} has only its name, because reading is forbidden`,
      );
      return namedNamespace(name);
    }
  }
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
