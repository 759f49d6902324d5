import type { KubernetesObject, ObjectName, Persisted } from '@keelson/apimachinery';
import {
  jsonFormat,
  type Format,
  type Frame,
  type HeadPositions,
  type ObjectIdentity,
} from '@keelson/wire';
import type { ObjectBytes } from '../memory/object-bytes.ts';
import { informerError } from '../errors.ts';
import type { SkipCause } from '../contract/informer-observer.ts';
import type { ObjectForm } from './object-form.ts';
import type { Unreadable } from './object-repair.ts';
import { StoredObject } from './stored-object.ts';
import { FAILED, UserCode } from '../contract/user-code.ts';
import type { NamedTransform } from '../contract/watch-query.ts';

/** How an intake reads objects, and the callbacks for objects that it cannot read. */
export interface IntakeOptions {
  readonly form: ObjectForm;
  readonly transform: NamedTransform | undefined;
  /** Called with the cause when a frame does not become a stored object. */
  readonly onSkip: (cause: SkipCause, error: unknown) => void;
  /** Called when an object must be parsed on arrival and its bytes do not parse. */
  readonly onUnreadable: (error: unknown) => void;
}

/** The store or stage that keeps an object. */
export interface IntakeTarget {
  readonly content: ObjectBytes;
  intern(namespace: string | undefined): string | undefined;
}

/**
 * Turns frames into stored objects in two steps, so that an unchanged object is not copied. `read`
 * finds the identity of the object, `keep` copies its bytes. Neither parses the body, unless a
 * transform or `retain: 'object'` requires it.
 */
export class Intake {
  /** The identity of the last object that `read` accepted. */
  identity: ObjectIdentity = NO_IDENTITY;
  readonly #options: IntakeOptions;
  /** Created for the first frame without positions, and reused for all others. */
  #scratch: HeadPositions | undefined;
  /** The positions of the last frame. */
  #positions: HeadPositions | undefined;
  #frame: Frame | undefined;
  readonly #transformFailed = (error: unknown): void => void this.#skip('transform', error);
  /** In the context of the first user of the transform. */
  readonly #userCode = new UserCode(this.#transformFailed);

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * Reads the identity of a frame. Returns false for a frame without an object of this watch, after
   * reporting it.
   */
  read(frame: Frame): boolean {
    const identity =
      frame.format === undefined ? identityOf(frame.object) : this.#parseIdentity(frame);
    const isAccepted = identity !== undefined && this.#accept(identity);
    this.#frame = isAccepted ? frame : undefined;
    return isAccepted;
  }

  /**
   * Drops the reference to the last frame, which would keep its whole chunk in memory. Must follow every `read` that
   * returned true.
   */
  done(): void {
    this.#frame = undefined;
  }

  /** The name of the last object. */
  get name(): ObjectName {
    const { namespace, name = '' } = this.identity;
    return namespace === undefined ? { name } : { namespace, name };
  }

  /** True if the last object has the same version as `stored`. */
  isUnchanged(stored: StoredObject): boolean {
    const { resourceVersion, uid } = this.identity;
    return (
      resourceVersion !== undefined &&
      stored.resourceVersion === resourceVersion &&
      stored.uid === (uid ?? '')
    );
  }

  /** The last object, as a state that must be fetched again. */
  get unreadable(): Unreadable {
    return { ...this.name, resourceVersion: this.identity.resourceVersion ?? '' };
  }

  /** Returns `stored` if it has the uid of the last object, and `undefined` otherwise. */
  ofSameUid(stored: StoredObject | undefined): StoredObject | undefined {
    return stored?.uid === (this.identity.uid ?? '') ? stored : undefined;
  }

  /**
   * Copies the last object into the target. Returns `undefined` if the object does not parse or its
   * transform failed.
   */
  keep(target: IntakeTarget): StoredObject | undefined {
    const frame = this.#frame;
    if (frame === undefined) return undefined;
    const { form } = this.#options;
    const object = new StoredObject(form, target.intern(this.identity.namespace), this.identity);
    if (this.#isParsedAtOnce(frame, target)) return this.#keepParsed(object, frame, target);
    if (frame.format !== undefined && this.#positions !== undefined) {
      const { buffer, from, to } = frame;
      target.content.write(object, frame.format, buffer, from, to, this.#positions);
    }
    return object;
  }

  #isParsedAtOnce(frame: Frame, { content }: IntakeTarget): boolean {
    return (
      frame.format === undefined ||
      content.retention === 'object' ||
      this.#options.transform !== undefined
    );
  }

  /** Returns `undefined` for bytes that do not parse. */
  #parseIdentity(frame: Frame): ObjectIdentity | undefined {
    const { format, buffer, from, to } = frame;
    if (format === undefined) return undefined;
    let problem: unknown;
    try {
      const positions = frame.positions ?? this.#scan(frame, format);
      this.#positions = this.#options.form.keepManagedFields ? keepAll(positions) : positions;
      return format.identity(buffer, from, to, positions);
    } catch (error) {
      problem = error;
    }
    this.#skip('malformed', problem);
    return undefined;
  }

  #accept(identity: ObjectIdentity): boolean {
    const { form } = this.#options;
    const { kind } = identity;
    if (kind === 'Table') throw informerError('TABLE_RESPONSE', { kind: form.kind });
    if (!form.accepts(kind)) return this.#skip('other-kind', undefined);
    if (identity.name === undefined) return this.#skip('no-metadata', undefined);
    this.identity = identity;
    return true;
  }

  #keepParsed(
    object: StoredObject,
    frame: Frame,
    { content }: IntakeTarget,
  ): StoredObject | undefined {
    const { transform, form } = this.#options;
    const parsed = this.#tryParse(frame);
    if (parsed === undefined) return undefined;
    const whole = form.complete(parsed);
    const kept = transform === undefined ? whole : this.#transformed(transform, whole);
    if (kept === undefined) return undefined;
    const text = content.retention === 'compressed' ? textOf(kept) : undefined;
    if (text === undefined) {
      content.addParsed(object, frame.to - frame.from);
      object.keepParsed(kept);
    } else content.append(object, jsonFormat, text);
    return object;
  }

  #transformed(transform: NamedTransform, whole: Persisted): Persisted | undefined {
    const kept: unknown = this.#userCode.callMethod(transform, 'apply', whole);
    if (kept === FAILED) return undefined;
    if (isObject(kept) && isObject(kept.metadata)) return kept as Persisted;
    this.#transformFailed(informerError('TRANSFORM_RESULT', { transform: transform.name }));
    return undefined;
  }

  #tryParse(frame: Frame): unknown {
    try {
      return this.#parse(frame);
    } catch (error) {
      this.#options.onUnreadable(error);
      return undefined;
    }
  }

  /** Cuts `managedFields` before it parses: parsing them costs more. */
  #parse(frame: Frame): unknown {
    const { format, buffer, from, to } = frame;
    const positions = this.#positions;
    if (format === undefined || positions === undefined) return this.#ownCopy(frame.object);
    const bytes = Buffer.allocUnsafe(format.cutLength(from, to, positions));
    const length = format.cut(buffer, from, to, positions, bytes, 0);
    return format.decode(bytes, 0, length);
  }

  /** Copies the object for a transform, which must not change an object of the lister-watcher. */
  #ownCopy(object: unknown): unknown {
    const copied = this.#options.transform === undefined ? object : structuredClone(object);
    return this.#options.form.keepManagedFields ? copied : withoutManagedFields(copied);
  }

  #scan({ buffer, from, to }: Frame, format: Format): HeadPositions {
    const positions = (this.#scratch ??= format.positions());
    format.scan(buffer, from, to, positions);
    return positions;
  }

  #skip(cause: SkipCause, error: unknown): false {
    this.#options.onSkip(cause, error);
    return false;
  }
}

/** Positions with `managedFields` not marked to cut. */
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
  // A lister-watcher of the user may yield null or a value of another type.
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return { kind, namespace, name, uid, resourceVersion };
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

/** Returns an object as JSON. `undefined` if JSON does not have it, such as the result of a transform with a cycle. */
function textOf(object: Persisted): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(object));
  } catch {
    return undefined;
  }
}
