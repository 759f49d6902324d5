import {
  ignoreRejections,
  isPromised,
  type KubernetesObject,
  type Persisted,
  type PersistedMeta,
} from '@keelson/apimachinery';
import { jsonFormat, type Frame, type HeadPositions, type ObjectIdentity } from '@keelson/wire';
import type { ObjectBytes } from '../memory/object-bytes.ts';
import { informerError } from '../errors.ts';
import type { SkipCause } from '../contract/informer-observer.ts';
import { type ObjectForm, StoredObject } from './stored-object.ts';
import type { Unreadable } from './object-repair.ts';
import { FAILED, UserCode } from '../contract/user-code.ts';
import type { NamedTransform } from '../contract/watch-query.ts';

/** Decides how a watch reads objects, and receives those that it cannot store. */
export interface CandidateOptions {
  readonly form: ObjectForm;
  readonly transform: NamedTransform | undefined;
  /** Called with the cause when a frame does not become a stored object. */
  readonly onSkip: (cause: SkipCause, error: unknown) => void;
  /** Called when an object must be parsed on arrival and its bytes do not parse. */
  readonly onUnreadable: (object: Unreadable, error: unknown) => void;
}

/** The store or stage that keeps an object. */
export interface CandidateTarget {
  readonly content: ObjectBytes;
  intern(namespace: string | undefined): string | undefined;
}

/** The options that all candidates of one reader share. */
interface Admission extends CandidateOptions {
  readonly userCode: UserCode;
}

/** Turns the frames of a watch into candidates. It reads only the identity of each object and parses no body. */
export class CandidateReader {
  readonly #admission: Admission;
  /**
   * The positions for frames whose splitter found none. Created for the first such frame, and reused for the others.
   */
  #scratch: HeadPositions | undefined;

  constructor(options: CandidateOptions) {
    // The transform runs in the async context of its first user, in which the reader is created.
    const userCode = new UserCode((error) => options.onSkip('transform', error));
    this.#admission = { ...options, userCode };
  }

  /** Returns the candidate of a frame. Without an object of this watch it reports the frame and returns `undefined`. */
  read(frame: Frame): Candidate | undefined {
    const { form, onSkip } = this.#admission;
    const { format, buffer, from, to } = frame;
    let { positions } = frame;
    let identity: ObjectIdentity;
    if (format === undefined) identity = identityOf(frame.object);
    else {
      try {
        if (positions === undefined) {
          positions = this.#scratch ??= format.positions();
          format.scan(buffer, from, to, positions);
        }
        identity = format.identity(buffer, from, to, positions);
      } catch (error) {
        onSkip('malformed', error);
        return undefined;
      }
    }
    const { kind, name } = identity;
    if (kind === 'Table') throw informerError('TABLE_RESPONSE', { kind: form.kind });
    // Items of a list have no `kind`.
    const isOther = kind !== undefined && kind !== form.kind && !form.acceptsOther(kind);
    if (isOther) onSkip('other-kind', undefined);
    else if (name === undefined) onSkip('no-metadata', undefined);
    else return new Candidate(this.#admission, frame, positions, identity);
    return undefined;
  }
}

/**
 * The object of a frame that a store has not accepted yet. It is valid until the reader reads the next frame. Do not
 * keep it, because its frame keeps a whole chunk in memory.
 */
export class Candidate {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** `""` if the object has none. */
  readonly resourceVersion: string;
  readonly #admission: Admission;
  readonly #frame: Frame;
  readonly #positions: HeadPositions | undefined;

  constructor(
    admission: Admission,
    frame: Frame,
    positions: HeadPositions | undefined,
    { namespace, name = '', uid = '', resourceVersion = '' }: ObjectIdentity,
  ) {
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.#admission = admission;
    this.#frame = frame;
    this.#positions = positions;
  }

  /** The metadata, parsed for a part of a watch that decides by it. */
  get metadata(): PersistedMeta {
    const { format, buffer, from, to, object } = this.#frame;
    const positions = this.#positions;
    const head =
      format === undefined || positions === undefined
        ? (object as KubernetesObject)
        : format.head(buffer, from, to, positions);
    return head.metadata as PersistedMeta;
  }

  /** True if `stored` has the same version of the object. */
  equals(stored: StoredObject): boolean {
    const { resourceVersion, uid } = this;
    return (
      resourceVersion !== '' && stored.resourceVersion === resourceVersion && stored.uid === uid
    );
  }

  /**
   * Copies the object into the target, without parsing its body unless a transform or `retain: 'object'` requires it.
   * Returns `undefined` if the object does not parse or its transform failed. `previous` is an object of the same name
   * in the target.
   */
  keep(target: CandidateTarget, previous?: StoredObject): StoredObject | undefined {
    const { form, transform } = this.#admission;
    const { format, buffer, from, to } = this.#frame;
    const { content } = target;
    const namespace = previous === undefined ? target.intern(this.namespace) : previous.namespace;
    const object = new StoredObject(form, namespace, this);
    const positions = this.#positions;
    const isParsed =
      format === undefined ||
      positions === undefined ||
      // The metadata of the bytes would be another one than that of the body.
      positions.metadataRepeated ||
      transform !== undefined ||
      content.retention === 'object';
    if (isParsed) return this.#keepParsed(object, content);
    content.write(
      object,
      format,
      buffer,
      from,
      to,
      form.keepManagedFields ? keepAll(positions) : positions,
    );
    return object;
  }

  #keepParsed(object: StoredObject, content: ObjectBytes): StoredObject | undefined {
    const { transform, form } = this.#admission;
    const parsed = this.#tryParse();
    if (parsed === undefined) return undefined;
    const whole = form.complete(parsed);
    const kept = transform === undefined ? whole : this.#transformed(transform, whole);
    if (kept === undefined) return undefined;
    const text = content.retention === 'compressed' ? textOf(kept) : undefined;
    if (text === undefined) {
      content.addParsed(object, this.#frame.to - this.#frame.from);
      object.keepParsed(kept);
    } else content.append(object, jsonFormat, text);
    return object;
  }

  #transformed(transform: NamedTransform, whole: Persisted): Persisted | undefined {
    const { userCode, onSkip } = this.#admission;
    const kept: unknown = userCode.callMethod(transform, 'apply', whole);
    if (kept === FAILED) return undefined;
    let error: unknown;
    try {
      if (isPersisted(kept)) return kept;
      error = informerError('TRANSFORM_RESULT', { transform: transform.name });
    } catch (thrown) {
      // A getter or a proxy of the user threw.
      error = thrown;
    }
    ignoreRejections(kept);
    onSkip('transform', error);
    return undefined;
  }

  #tryParse(): unknown {
    try {
      return this.#parse();
    } catch (error) {
      this.#admission.onUnreadable(this, error);
      return undefined;
    }
  }

  /** Parses the object. It cuts `managedFields` from the bytes before, which takes less time than to parse them. */
  #parse(): unknown {
    const { keepManagedFields } = this.#admission.form;
    const { format, buffer, from, to, object } = this.#frame;
    if (format === undefined || this.#positions === undefined) return this.#ownCopy(object);
    const positions = keepManagedFields ? keepAll(this.#positions) : this.#positions;
    const bytes = Buffer.allocUnsafe(format.cutLength(from, to, positions));
    const length = format.cut(buffer, from, to, positions, bytes, 0);
    return format.decode(bytes, 0, length);
  }

  /**
   * Returns an object that the lister-watcher yielded without bytes. A transform receives a copy, because it may change
   * its argument.
   */
  #ownCopy(object: unknown): unknown {
    const { form, transform } = this.#admission;
    const copied = transform === undefined ? object : structuredClone(object);
    return form.keepManagedFields ? copied : withoutManagedFields(copied);
  }
}

/** Returns the positions without a range to cut, so that `managedFields` stay. */
function keepAll(positions: HeadPositions): HeadPositions {
  return { ...positions, managedFieldsFrom: -1, managedFieldsTo: -1 };
}

const NO_IDENTITY: ObjectIdentity = {
  kind: undefined,
  namespace: undefined,
  name: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

function identityOf(object: unknown): ObjectIdentity {
  if (typeof object !== 'object' || object === null) return NO_IDENTITY;
  const { kind, metadata } = object as KubernetesObject;
  // A lister-watcher of the user may yield metadata that is null or not an object.
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return { kind, namespace, name, uid, resourceVersion };
}

/** False for a value without metadata, and for one with a promise, which a transform may return by mistake. */
function isPersisted(kept: unknown): kept is Persisted {
  return isObject(kept) && isObject(kept.metadata) && !Object.values(kept).some(isPromised);
}

/** False for a promise or an array, which a transform may return by mistake. */
function isObject(value: unknown): value is { readonly metadata?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);
}

function withoutManagedFields(object: unknown): unknown {
  const { metadata } = object as KubernetesObject;
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _cut, ...rest } = metadata;
  return { ...(object as KubernetesObject), metadata: rest };
}

/**
 * Returns an object as JSON; `undefined` if JSON cannot represent it, such as the result of a transform with a cycle.
 */
function textOf(object: Persisted): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(object));
  } catch {
    return undefined;
  }
}
