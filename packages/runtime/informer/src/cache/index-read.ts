import { invalidOption, type DeepReadonly, type KubernetesObject } from '@keelson/apimachinery';
import { checkChoice, checkListOptions, checkObject } from '../contract/check-arguments.ts';
import { checkIndex, type Index } from '../contract/indexer.ts';
import type { StoreListOptions } from '../contract/object-store.ts';
import type { ReadOptions } from '../contract/read.ts';
import { ownerIndexer, ownerValue, type OwnerMatch } from '../indexes/owner-index.ts';
import type { IndexLookup } from './store-union.ts';

/** Selects among the objects that a lookup in an index finds, and chooses their form. */
export type IndexReadOptions = Omit<StoreListOptions & ReadOptions, 'index'>;

/** Selects among the children of an owner, and chooses their form. */
export interface OwnedReadOptions extends IndexReadOptions {
  /** The namespace of the children. Default: that of the owner, or all namespaces if the owner is cluster-scoped. */
  readonly namespace?: string | undefined;
  /** The owner references that count: the controller reference, or any. Default `'controller'`. */
  readonly owners?: OwnerMatch;
}

/** The options of a read with its lookup. */
export type IndexSelection = IndexReadOptions & { readonly index: IndexLookup };

/** Returns the selection of a read by an index. Throws `INVALID_OPTION`. */
export function selectionBy<T extends KubernetesObject>(
  index: Index<T>,
  value: string,
  options: IndexReadOptions,
  where: string,
): IndexSelection {
  checkIndex(index, `${where}.index`);
  if (typeof value !== 'string') throw invalidOption(`${where}.value`, 'must be a string');
  checkReadOptions(options, where);
  const indexer = index as unknown as Index;
  return { ...options, index: { name: index.name, value, indexer } };
}

/** Returns the selection of the children of an owner. Throws `INVALID_OPTION` and `INVALID_OWNER`. */
export function selectionOfOwned(
  owner: DeepReadonly<KubernetesObject>,
  options: OwnedReadOptions,
): IndexSelection {
  checkObject(owner, 'owned.owner');
  checkObject(options, 'owned');
  const { owners = 'controller', ...others } = options;
  checkChoice(owners, ['controller', 'any'], 'owned.owners');
  checkReadOptions(others, 'owned');
  const indexer = ownerIndexer(owners);
  return {
    ...others,
    namespace: others.namespace ?? owner.metadata?.namespace,
    index: { name: indexer.name, value: ownerValue(owner), indexer, scans: true },
  };
}

function checkReadOptions(options: IndexReadOptions, where: string): void {
  checkListOptions(options, where);
  if ('index' in options) throw invalidOption(`${where}.index`, 'is an unknown option');
}
