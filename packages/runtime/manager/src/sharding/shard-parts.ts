import { refersToKind, resourceId } from '@keelson/apimachinery';
import type { PartDifference, PartObject, PartSelection } from '@keelson/informer';
import type { ShardedSource } from '../run/shard-gate.ts';
import type { ShardPart } from '../sources/shard-part.ts';
import type { LabelKeeper } from './label-keeper.ts';
import { ShardLabel } from './shard-label.ts';
import { shardSelectorOf } from './shard-selector.ts';
import { SlotSet } from './slot-set.ts';

/** The number of versions of the slots whose differences are known. */
const KEPT_VERSIONS = 16;

export interface ShardPartsOptions {
  /** The name of the sharding. */
  readonly name: string;
  /** The slot of a request with this key. */
  readonly slotOf: (request: object, key: string) => number;
  /** True if the namespace of a request decides its slot. */
  readonly isByNamespace: boolean;
  /** The name of the scheme, and the labels by which the API server selects the objects. Default: none. */
  readonly labels?: { readonly scheme: string; readonly keeper: LabelKeeper } | undefined;
}

/** The part of the objects that this replica caches: those whose requests are of slots that it runs or takes over. */
export class ShardParts {
  /** True if the API server selects the objects of a part where it can. */
  isSelectedByServer = false;
  readonly #options: ShardPartsOptions;
  readonly #parts = new Map<string, ShardPart>();
  #slots: SlotSet = new SlotSet();
  #version = 0;
  /** The slots at the latest versions, without those that have left since. */
  readonly #earlier = new Map<number, SlotSet>();

  constructor(options: ShardPartsOptions) {
    this.#options = options;
  }

  /** Grows with each change that adds a slot. */
  get version(): number {
    return this.#version;
  }

  /** Replaces the slots. Returns false if they are the same. */
  use(slots: SlotSet): boolean {
    const before = this.#slots;
    if (slots.toString() === before.toString()) return false;
    this.#slots = slots;
    if (!before.hasAll(slots)) this.#version += 1;
    for (const [version, known] of this.#earlier) this.#earlier.set(version, known.and(slots));
    this.#earlier.set(this.#version, slots);
    this.#earlier.delete(this.#version - KEPT_VERSIONS);
    return true;
  }

  /** The part of a source. Equal sources have the same one. */
  of(source: ShardedSource): ShardPart {
    const { owner } = source;
    const byOwner = owner === undefined ? [] : [resourceId(owner.resource), owner.match];
    const name = ['shard', this.#options.name, ...byOwner].join(' ');
    const id = `${resourceId(source.resource)} ${name}`;
    const part = this.#parts.get(id) ?? this.#make(name, source);
    this.#parts.set(id, part);
    return part;
  }

  #make(name: string, source: ShardedSource): ShardPart {
    const { labels, name: sharding } = this.#options;
    const slotsOf = this.#slotsOf(source);
    const label = labels && new ShardLabel(sharding, labels.scheme, source);
    const labelled = label && { resource: source.resource, label, slotsOf };
    const version = (): number => this.#version;
    const shardSelector = (): string | undefined => this.#shardSelectorOf(source, this.#slots);
    const labelSelector = (): string | undefined => label?.selectorOf(this.#slots);
    const growthSince = (earlier: number): PartDifference | undefined => {
      const had = this.#earlier.get(earlier);
      const selection = had && this.#selectionOf(source, label, this.#slots.without(had));
      if (had === undefined || selection === undefined) return undefined;
      return { selection, had: (object) => slotsOf(object).some((slot) => had.has(slot)) };
    };
    const watch = {
      name: label === undefined ? name : `${name} ${label.key}`,
      get version() {
        return version();
      },
      get shardSelector() {
        return shardSelector();
      },
      get labelSelector() {
        return labelSelector();
      },
      growthSince,
      keeps: (object: PartObject): boolean => {
        const isKept = slotsOf(object).some((slot) => this.#slots.has(slot));
        // Its label may be wrong, and no other replica receives it then.
        if (labelled !== undefined && !isKept) labels?.keeper.check(labelled, object);
        return isKept;
      },
    };
    return { watch, labels: labelled && labels?.keeper.of(labelled) };
  }

  /** Selects the objects of slots by their namespaces; `undefined` if the API server selects no slots. */
  #shardSelectorOf(source: ShardedSource, slots: SlotSet): string | undefined {
    const isSelected = this.isSelectedByServer && this.#isByOwnNamespace(source);
    return isSelected ? shardSelectorOf(slots) : undefined;
  }

  /** Selects the objects of these slots; `undefined` if the API server selects no slots. */
  #selectionOf(
    source: ShardedSource,
    label: ShardLabel | undefined,
    slots: SlotSet,
  ): PartSelection | undefined {
    if (label !== undefined) return { labelSelector: label.selectorOf(slots) };
    const shardSelector = this.#shardSelectorOf(source, slots);
    return shardSelector === undefined ? undefined : { shardSelector };
  }

  /** True if the namespace of an object decides the slot of its requests. */
  #isByOwnNamespace({ resource, owner }: ShardedSource): boolean {
    const requested = owner?.resource ?? resource;
    return this.#options.isByNamespace && resource.namespaced && requested.namespaced;
  }

  /** Returns the function that returns the slots of the requests of an object. */
  #slotsOf(source: ShardedSource): (object: PartObject) => readonly number[] {
    const { owner } = source;
    if (owner === undefined || this.#isByOwnNamespace(source)) {
      return ({ namespace, name }) => [this.#slotOf(namespace, name)];
    }
    const { resource, match } = owner;
    return ({ namespace, metadata: { ownerReferences = [] } }) =>
      ownerReferences
        .filter((reference) => match === 'any' || reference.controller === true)
        .filter((reference) => refersToKind(reference, resource))
        .map(({ name }) => this.#slotOf(resource.namespaced ? namespace : undefined, name));
  }

  #slotOf(namespace: string | undefined, name: string): number {
    const isNamespaced = namespace !== undefined;
    const request = isNamespaced ? { namespace, name } : { name };
    return this.#options.slotOf(request, isNamespaced ? `${namespace}/${name}` : name);
  }
}
