import {
  apiVersionOf,
  isNotFound,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { nameOf } from '../verbs/calls/resource-path.ts';
import type { ApplyAllResult, MemberName } from './apply-all-result.ts';
import type { ApplyAllOptions } from './apply-all-options.ts';
import { applySetId, applySetLabels, foreignFacts, groupKindOf } from './apply-set.ts';
import { inOrder } from './kind-order.ts';
import { SetKinds } from './set-kinds.ts';
import {
  isLive,
  listMembers,
  memberKey,
  placesOf,
  type Member,
  type Place,
} from './set-members.ts';
import { SetParent, type SetExtent } from './set-parent.ts';
import { SetTasks, withVersion } from './set-tasks.ts';
import { checkDistinct, wantedObject, type SetOwner, type WantedObject } from './wanted-object.ts';

type ReadonlyPersisted = DeepReadonly<Persisted>;

/** The set as a call found it, and the objects that it wants. */
interface FoundSet {
  readonly owner: SetOwner;
  readonly parent: SetParent;
  readonly wanted: readonly WantedObject[];
  /** The kinds and namespaces of the wanted objects. */
  readonly extent: SetExtent;
  /** The served kinds that may have members, by their names in the annotation. */
  readonly readable: ReadonlyMap<string, ApiResource>;
  /** The namespaces that may have members, that of the owner included. */
  readonly namespaces: ReadonlySet<string>;
  readonly unserved: readonly string[];
  /** The members before the call, by key. */
  readonly members: ReadonlyMap<string, Member>;
}

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_TOOLING = 'keelson/v1';

/**
 * One call of `applyAll`. The parent names the kinds and namespaces of the objects before the first of them exists, and
 * drops former ones only after their members were deleted: a call that ends early leaves nothing that the next one does
 * not find. It deletes only members that it listed before the apply, so that later objects of a concurrent call stay.
 */
export class SetRun {
  readonly #given: readonly DeepReadonly<KubernetesObject>[];
  readonly #options: ApplyAllOptions;
  readonly #client: ApplyAllOptions['client'];
  readonly #signal: AbortSignal | undefined;
  readonly #isDry: boolean;
  readonly #kinds: SetKinds;
  readonly #tasks: SetTasks;
  readonly #unchecked: MemberName[] = [];

  constructor(given: readonly DeepReadonly<KubernetesObject>[], options: ApplyAllOptions) {
    const { client, signal, dryRun = false, concurrency = DEFAULT_CONCURRENCY } = options;
    this.#given = given;
    this.#options = options;
    this.#client = client;
    this.#signal = signal;
    this.#isDry = dryRun;
    this.#kinds = new SetKinds(client, given, signal);
    this.#tasks = new SetTasks(concurrency, signal);
  }

  async run(): Promise<ApplyAllResult<ReadonlyPersisted>> {
    const set = await this.#find();
    const applied = await this.#applyAll(set);
    const pruned = this.#options.prune === true ? await this.#prune(set, applied) : [];
    if (!this.#isDry) await this.#settle(set);
    const { unserved } = set;
    return { applied, pruned, unserved, unchecked: this.#unchecked };
  }

  /** Reads the set, and makes its parent name all kinds and namespaces of the wanted objects. */
  async #find(): Promise<FoundSet> {
    const owner = await this.#owner();
    const wanted = await this.#wanted(owner);
    const ownsObjects = wanted.some(({ isOwned }) => isOwned);
    const first = this.#parentOf(owner, ownsObjects);
    // A deletion that begins later does not fail the call, whose objects are applied by then.
    const parent = this.#parentOf(owner, false);
    const extent = extentOf(wanted, owner);
    const former = this.#isDry
      ? await first.extent()
      : await first.change((present) => union(present, extent));
    const formerKinds = [...former.kinds].filter((kind) => !extent.kinds.has(kind));
    const named = await this.#tasks.all(formerKinds, (kind) => this.#kinds.named(kind));
    const ownNamespace = owner.object.metadata?.namespace;
    const namespaces = new Set([
      ...union(former, extent).namespaces,
      ...(ownNamespace ? [ownNamespace] : []),
    ]);
    const readable = await this.#readable(wanted);
    for (const kind of named) if (kind !== undefined) readable.set(groupKindOf(kind), kind);
    const kinds = [...readable.values()];
    const listed = await this.#list(owner.id, placesOf(kinds, namespaces));
    const gone = new Set(listed.gone.map(groupKindOf));
    const unserved = formerKinds.filter(
      (kind, index) => named[index] === undefined || gone.has(kind),
    );
    const members = new Map(listed.members.map((member) => [member.key, member]));
    return { owner, parent, wanted, extent, readable, namespaces, unserved, members };
  }

  async #owner(): Promise<SetOwner> {
    const { owner: object, ownerReferences = true } = this.#options;
    const resource = await this.#kinds.of(object);
    const id = applySetId({ resource, ...nameOf(resource, object) });
    return { resource, object, id, controls: ownerReferences };
  }

  async #wanted(owner: SetOwner): Promise<readonly WantedObject[]> {
    const wanted = await this.#tasks.all(this.#given, async (object) =>
      wantedObject(await this.#kinds.of(object), object, owner),
    );
    checkDistinct(wanted, owner);
    return wanted;
  }

  /** The wanted kinds that the server serves, some of them in another version than the wanted one. */
  async #readable(wanted: readonly WantedObject[]): Promise<Map<string, ApiResource>> {
    const kinds = new Map(wanted.map(({ resource }) => [groupKindOf(resource), resource]));
    for (const [name, resource] of kinds) {
      const served = this.#kinds.isComing(resource) ? await this.#kinds.named(name) : resource;
      if (served === undefined) kinds.delete(name);
      else kinds.set(name, served);
    }
    return kinds;
  }

  #parentOf({ resource, object, id }: SetOwner, ownsObjects: boolean): SetParent {
    const { tooling = DEFAULT_TOOLING } = this.#options;
    const uid = object.metadata?.uid ?? '';
    const name = nameOf(resource, object);
    const client = this.#client;
    const signal = this.#signal;
    return new SetParent({ client, resource, name, uid, id, tooling, ownsObjects, signal });
  }

  async #list(
    id: string,
    places: readonly Place[],
  ): Promise<{ readonly members: readonly Member[]; readonly gone: readonly ApiResource[] }> {
    const lists = await this.#tasks.all(places, (place) =>
      listMembers(this.#client, id, place, this.#signal),
    );
    const gone = places.filter((_, index) => lists[index] === undefined);
    return {
      members: lists.flatMap((list) => list ?? []),
      gone: gone.map(({ resource }) => resource),
    };
  }

  /** Applies the objects. Those that others own are refused before the first write. */
  async #applyAll(set: FoundSet): Promise<ReadonlyPersisted[]> {
    const { wanted, members, readable } = set;
    const unlisted = wanted.filter(
      ({ key, resource }) => !members.has(key) && readable.has(groupKindOf(resource)),
    );
    const versions = new Map<WantedObject, string | undefined>();
    await this.#tasks.each('apply', unlisted, async (one) => {
      versions.set(one, (await this.#unlisted(one, set))?.metadata.resourceVersion);
    });
    const stored = new Map<WantedObject, ReadonlyPersisted | undefined>();
    for (const group of inOrder(wanted)) {
      if (!this.#isDry) await this.#awaitKinds(group);
      await this.#tasks.each('apply', group, async (one) => {
        stored.set(one, await this.#apply(one, set, versions.get(one)));
      });
    }
    return wanted.flatMap((one) => stored.get(one) ?? []);
  }

  /** Reads an object that has no label of the set. Throws if it belongs to another set or controller. */
  async #unlisted(
    { resource, object }: WantedObject,
    { owner, readable }: FoundSet,
  ): Promise<ReadonlyPersisted | undefined> {
    const present = await this.#read(readable.get(groupKindOf(resource)) ?? resource, object);
    if (present !== undefined) refuseForeign(resource, present, owner);
    return present;
  }

  async #awaitKinds(group: readonly WantedObject[]): Promise<void> {
    const coming = new Set(group.map(({ resource }) => resource));
    for (const resource of coming)
      if (this.#kinds.isComing(resource)) await this.#kinds.served(resource);
  }

  /**
   * Applies one object. That of an object without the label of the set names the version in which no other set had it.
   */
  async #apply(
    wanted: WantedObject,
    set: FoundSet,
    version: string | undefined,
  ): Promise<ReadonlyPersisted | undefined> {
    const { resource, object } = wanted;
    const send = (): Promise<ReadonlyPersisted> => this.#send(resource, object);
    try {
      if (version === undefined) return await send();
      return await withVersion(
        { version },
        (one) => this.#send(resource, withResourceVersion(object, one.version)),
        async () => ({ version: (await this.#unlisted(wanted, set))?.metadata.resourceVersion }),
      );
    } catch (error) {
      if (!this.#isDry || !isNotFound(error) || !this.#isPending(wanted, set)) throw error;
      this.#unchecked.push(nameIn(resource, object));
      return undefined;
    }
  }

  async #send(
    resource: ApiResource,
    object: DeepReadonly<KubernetesObject>,
  ): Promise<ReadonlyPersisted> {
    const { force } = this.#options;
    const options = { force, dryRun: this.#isDry, signal: this.#signal };
    return (await this.#client.apply(resource, object, options)) as ReadonlyPersisted;
  }

  /** True for an object that needs another one of the set, which a dry run does not create. */
  #isPending({ resource, object }: WantedObject, { wanted }: FoundSet): boolean {
    const namespace = object.metadata?.namespace;
    const isIn = ({ object: one }: WantedObject): boolean =>
      one.kind === 'Namespace' && one.metadata?.name === namespace;
    return this.#kinds.isComing(resource) || wanted.some(isIn);
  }

  /** Deletes the members that were listed and are not wanted, those that need others first. */
  async #prune(set: FoundSet, applied: readonly ReadonlyPersisted[]): Promise<MemberName[]> {
    const uids = new Set([
      set.owner.object.metadata?.uid,
      ...applied.map(({ metadata }) => metadata.uid),
    ]);
    const wanted = new Set(set.wanted.map(({ key }) => key));
    const former = [...set.members.values()].filter(
      (member) =>
        isLive(member) && !wanted.has(member.key) && !uids.has(member.object.metadata.uid),
    );
    const pruned: MemberName[] = [];
    for (const group of inOrder(former).toReversed()) {
      await this.#tasks.each('prune', group, async (member) => {
        if (await this.#delete(member, set.owner))
          pruned.push(nameIn(member.resource, member.object));
      });
    }
    return pruned;
  }

  /** Deletes a member in the version in which it was one. Returns false if it has left the set. */
  async #delete(member: Member, owner: SetOwner): Promise<boolean> {
    const { resource, object } = member;
    refuseForeign(resource, object, owner);
    const name = nameOf(resource, object);
    const { uid } = object.metadata;
    const deleted = await withVersion(
      object.metadata.resourceVersion,
      async (resourceVersion) => {
        try {
          await this.#client.delete(resource, name, {
            dryRun: this.#isDry,
            preconditions: { uid, resourceVersion },
            propagationPolicy: 'Background',
            signal: this.#signal,
          });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
        return true;
      },
      async () => {
        const present = await this.#read(resource, object);
        const isMember = present?.metadata.labels?.[applySetLabels.partOf] === owner.id;
        if (present === undefined || present.metadata.uid !== uid || !isMember) return undefined;
        refuseForeign(resource, present, owner);
        return isLive({ ...member, object: present })
          ? present.metadata.resourceVersion
          : undefined;
      },
    );
    return deleted === true;
  }

  /**
   * Makes the parent name the wanted kinds and namespaces, and drops those without members. A concurrent call may have
   * dropped wanted ones, or added members of dropped ones: every call therefore reads the parent after its writes, and
   * looks for members after it has dropped kinds.
   */
  async #settle({
    owner,
    parent,
    extent,
    readable,
    namespaces,
    unserved,
  }: FoundSet): Promise<void> {
    if (this.#options.prune !== true) {
      await parent.change((present) => union(present, extent));
      return;
    }
    const seen: SetExtent = { kinds: new Set(readable.keys()), namespaces };
    const kept = new Set(unserved);
    const next = ({ kinds: all, namespaces: spaces }: SetExtent): SetExtent =>
      union(extent, {
        kinds: new Set([...all].filter((kind) => !seen.kinds.has(kind) || kept.has(kind))),
        // The members of an unserved kind may be in any of the namespaces.
        namespaces:
          kept.size > 0 ? spaces : new Set([...spaces].filter((one) => !seen.namespaces.has(one))),
      });
    const before = await parent.change(next);
    const after = next(before);
    const isDropped = ({ resource, namespace }: Place): boolean =>
      (before.kinds.has(groupKindOf(resource)) && !after.kinds.has(groupKindOf(resource))) ||
      (namespace !== undefined &&
        before.namespaces.has(namespace) &&
        !after.namespaces.has(namespace));
    const dropped = placesOf([...readable.values()], namespaces).filter(isDropped);
    const { members } = await this.#list(owner.id, dropped);
    const left = members.filter(isLive);
    if (left.length > 0) await parent.change((present) => union(present, extentOf(left, owner)));
  }

  async #read(
    resource: ApiResource,
    object: DeepReadonly<KubernetesObject>,
  ): Promise<ReadonlyPersisted | undefined> {
    try {
      const found = await this.#client.get(resource, nameOf(resource, object), {
        signal: this.#signal,
      });
      return found;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function refuseForeign(resource: ApiResource, object: ReadonlyPersisted, owner: SetOwner): void {
  const { name = '' } = owner.object.metadata ?? {};
  const facts = foreignFacts(object, { id: owner.id, resource: owner.resource, name });
  if (facts === undefined) return;
  throw new ClientError('APPLY_SET_MEMBER_CONFLICT', {
    object: memberKey(resource, object),
    ...facts,
  });
}

function extentOf(
  objects: readonly Pick<WantedObject, 'resource' | 'object'>[],
  { object: owner }: SetOwner,
): SetExtent {
  const namespaces = objects.map(({ object }) => object.metadata?.namespace);
  return {
    kinds: new Set(objects.map(({ resource }) => groupKindOf(resource))),
    namespaces: new Set(
      namespaces.filter(
        (one) => one !== undefined && one !== owner.metadata?.namespace,
      ) as string[],
    ),
  };
}

function union(one: SetExtent, other: SetExtent): SetExtent {
  return {
    kinds: new Set([...one.kinds, ...other.kinds]),
    namespaces: new Set([...one.namespaces, ...other.namespaces]),
  };
}

function withResourceVersion(
  object: DeepReadonly<KubernetesObject>,
  resourceVersion: string | undefined,
): DeepReadonly<KubernetesObject> {
  return resourceVersion === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function nameIn(resource: ApiResource, object: DeepReadonly<KubernetesObject>): MemberName {
  const { namespace, name = '' } = object.metadata ?? {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name };
}
