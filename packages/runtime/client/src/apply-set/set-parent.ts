import {
  isNotFound,
  objectKey,
  type ApiResource,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
} from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import type { Client } from '../verbs/client.ts';
import { retryOnConflict } from '../verbs/retry-on-conflict.ts';
import { applySetAnnotations, applySetLabels } from './apply-set.ts';

/** The finalizer by which the garbage collector deletes the dependents of an object before the object. */
const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** Where a set may have members. Its parent's namespace is a part of every extent. */
export interface SetExtent {
  /** The kinds as `Kind.group`. */
  readonly kinds: ReadonlySet<string>;
  /** The namespaces other than that of the parent. */
  readonly namespaces: ReadonlySet<string>;
}

export interface SetParentOptions {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly resource: ApiResource;
  readonly name: ObjectName;
  readonly uid: string;
  /** The id of the set. */
  readonly id: string;
  /** The tool as `name/version`. */
  readonly tooling: string;
  /** If true, the call applies objects that the garbage collector deletes with the parent. */
  readonly ownsObjects: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * The parent object of a set, whose annotations say where members may be. Every write names the resourceVersion that was
 * read, so that it neither creates an object, nor changes a later one of the name, nor replaces the change of another
 * program.
 */
export class SetParent {
  readonly #options: SetParentOptions;

  constructor(options: SetParentOptions) {
    this.#options = options;
  }

  /** Reads the extent. Throws if the object is gone or deleted with its objects, or another tool changes the set. */
  async extent(): Promise<SetExtent> {
    return extentOf(await this.#read());
  }

  /**
   * Replaces the extent by that which `next` returns for the present one, and returns the present one. Writes only a
   * difference. After a conflict it reads again, and throws the fifth conflict in a row.
   */
  async change(next: (present: SetExtent) => SetExtent): Promise<SetExtent> {
    const { signal } = this.#options;
    return retryOnConflict(
      async () => {
        const object = await this.#read();
        const present = extentOf(object);
        const wanted = next(present);
        const isMarked = object.metadata.labels?.[applySetLabels.id] !== undefined;
        const isSame =
          isEqual(present.kinds, wanted.kinds) && isEqual(present.namespaces, wanted.namespaces);
        if (!isSame || (!isMarked && wanted.kinds.size > 0)) await this.#write(object, wanted);
        return present;
      },
      { signal },
    );
  }

  async #read(): Promise<Persisted> {
    const { client, resource, name, uid, signal } = this.#options;
    try {
      const object = await client.get(resource, name, { signal });
      if (object.metadata.uid !== uid) throw this.#gone();
      this.#check(object);
      return object;
    } catch (error) {
      throw isNotFound(error) ? this.#gone(error) : error;
    }
  }

  #check({ metadata }: Persisted): void {
    const { id, tooling, ownsObjects } = this.#options;
    const { labels = {}, annotations = {} } = metadata;
    if (ownsObjects && isForegroundDeletion(metadata)) {
      throw new ClientError('APPLY_SET_OWNER_DELETING', this.#facts);
    }
    const present = labels[applySetLabels.id];
    if (present !== undefined && present !== id) {
      throw new ClientError('APPLY_SET_ID_INVALID', { ...this.#facts, id: present, expected: id });
    }
    const other = annotations[applySetAnnotations.tooling];
    if (other !== undefined && toolOf(other) !== toolOf(tooling)) {
      throw new ClientError('APPLY_SET_OTHER_TOOL', { ...this.#facts, tooling: other });
    }
  }

  async #write({ metadata }: Persisted, { kinds, namespaces }: SetExtent): Promise<void> {
    const { client, resource, name, id, tooling, signal } = this.#options;
    const { resourceVersion } = metadata;
    const annotations = {
      [applySetAnnotations.tooling]: tooling,
      [applySetAnnotations.kinds]: listText(kinds),
      [applySetAnnotations.namespaces]: listText(namespaces),
    };
    const labels = { [applySetLabels.id]: id };
    const body = { metadata: { resourceVersion, labels, annotations } };
    const fieldManager = `${toolOf(tooling)}-applyset`;
    try {
      const patch = { type: 'merge', body } as const;
      await client.patch<KubernetesObject>(resource, name, patch, { fieldManager, signal });
    } catch (error) {
      throw isNotFound(error) ? this.#gone(error) : error;
    }
  }

  get #facts(): Readonly<Record<string, string>> {
    const { resource, name } = this.#options;
    return { owner: `${resource.kind} ${objectKey(name)}` };
  }

  #gone(cause?: unknown): ClientError {
    return new ClientError('APPLY_SET_OWNER_GONE', this.#facts, { cause });
  }
}

function isForegroundDeletion({ deletionTimestamp, finalizers }: Persisted['metadata']): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND_FINALIZER) === true;
}

function extentOf({ metadata: { annotations = {} } }: Persisted): SetExtent {
  return {
    kinds: parseList(annotations[applySetAnnotations.kinds]),
    namespaces: parseList(annotations[applySetAnnotations.namespaces]),
  };
}

function parseList(text = ''): ReadonlySet<string> {
  return new Set(text.split(',').filter((item) => item !== ''));
}

function listText(items: ReadonlySet<string>): string {
  return [...items].toSorted().join(',');
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

/** Returns the name of a tool without its version. */
function toolOf(tooling: string): string {
  const slash = tooling.lastIndexOf('/');
  return slash < 0 ? tooling : tooling.slice(0, slash);
}
