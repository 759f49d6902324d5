import type {
  Format,
  Frame,
  HeadPositions,
  KubernetesObject,
  ObjectIdentity,
  ObjectName,
} from '@keelson/apimachinery';
import type { Arena } from './arena.ts';
import { informerError } from '../errors.ts';
import type { SkipCause } from '../contract/informer-observer.ts';
import type { ObjectForm } from './object-form.ts';
import type { Unreadable } from './object-repair.ts';
import { StoredObject } from './stored-object.ts';
import { callMethod, FAILED } from '../contract/user-code.ts';
import type { NamedTransform, Retention } from '../contract/watch-query.ts';

/** What becomes of objects on their way in. */
export interface IntakeOptions {
  readonly form: ObjectForm;
  readonly transform: NamedTransform | undefined;
  readonly keepManagedFields: boolean;
  /** Called with what could not be taken in. */
  readonly onSkip: (cause: SkipCause, error: unknown) => void;
  /** Called with an object that has to be parsed and does not parse. */
  readonly onUnreadable: (error: unknown) => void;
}

/** Where a kept object goes. */
export interface IntakeTarget {
  readonly arena: Arena;
  intern(namespace: string | undefined): string | undefined;
}

/**
 * Turns frames into stored objects, in two steps so that an object that is known already is never
 * copied: `read` looks what the frame is about, `keep` takes the whole. Nothing is parsed on the way.
 */
export class Intake {
  /** May change while handles come and go; objects already stored stay as they are. */
  retain: Retention = 'lazy';
  /** What the frame read last is about. */
  identity: ObjectIdentity = nobody;
  readonly #options: IntakeOptions;
  /** Made by the first format met, and used for every frame whose positions are not known. */
  #scratch: HeadPositions | undefined;
  /** Of the frame read last. */
  #positions: HeadPositions | undefined;
  #frame: Frame | undefined;
  readonly #transformFailed = (error: unknown): void => void this.#skip('transform', error);

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** False for a frame that is no object of this watch; that has been reported then. */
  read(frame: Frame): boolean {
    this.#frame = frame;
    const identity =
      frame.format === undefined ? identityOf(frame.object) : this.#parseIdentity(frame);
    return identity !== undefined && this.#accept(identity);
  }

  /** Lets go of the frame read last, and with it of the whole chunk it came in. */
  done(): void {
    this.#frame = undefined;
  }

  /** The name of what was read last. */
  get name(): ObjectName {
    const { namespace, name = '' } = this.identity;
    return namespace === undefined ? { name } : { namespace, name };
  }

  /** Whether what was read last is the very version that is stored. */
  isUnchanged(stored: StoredObject): boolean {
    const { resourceVersion, uid } = this.identity;
    return (
      resourceVersion !== undefined &&
      stored.resourceVersion === resourceVersion &&
      stored.uid === (uid ?? '')
    );
  }

  /** What was read last, as a state to be fetched again. */
  get unreadable(): Unreadable {
    return { ...this.name, resourceVersion: this.identity.resourceVersion ?? '' };
  }

  /** The stored object if it is another version of what was read last. */
  ofSameUid(stored: StoredObject | undefined): StoredObject | undefined {
    return stored?.uid === (this.identity.uid ?? '') ? stored : undefined;
  }

  /** Copies what was read last into the target. `undefined` if its transform failed. */
  keep(target: IntakeTarget): StoredObject | undefined {
    const frame = this.#frame;
    if (frame === undefined) return undefined;
    const { form } = this.#options;
    const object = new StoredObject(form, target.intern(this.identity.namespace), this.identity);
    if (this.#isParsedAtOnce(frame)) return this.#keepParsed(object, frame);
    if (frame.format !== undefined && this.#positions !== undefined) {
      const { buffer, from, to } = frame;
      target.arena.write(object, frame.format, buffer, from, to, this.#positions);
    }
    return object;
  }

  #isParsedAtOnce(frame: Frame): boolean {
    return (
      frame.format === undefined ||
      this.retain === 'object' ||
      this.#options.transform !== undefined
    );
  }

  /** `undefined` for bytes that do not parse. */
  #parseIdentity(frame: Frame): ObjectIdentity | undefined {
    const { format, buffer, from, to } = frame;
    if (format === undefined) return undefined;
    let problem: unknown;
    try {
      const positions = frame.positions ?? this.#scan(frame, format);
      this.#positions = this.#options.keepManagedFields ? keepAll(positions) : positions;
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
    if (kind === 'Table') throw informerError('TABLE_ANSWER', { kind: form.kind });
    if (!form.accepts(kind)) return this.#skip('other-kind', undefined);
    if (identity.name === undefined) return this.#skip('no-metadata', undefined);
    this.identity = identity;
    return true;
  }

  #keepParsed(object: StoredObject, frame: Frame): StoredObject | undefined {
    const { transform, form } = this.#options;
    const parsed = this.#tryParse(frame);
    if (parsed === undefined) return undefined;
    const whole = form.complete(parsed);
    const kept = transform === undefined ? whole : this.#transformed(transform, whole);
    if (kept === undefined) return undefined;
    object.keepParsed(kept);
    return object;
  }

  #transformed(transform: NamedTransform, whole: KubernetesObject): KubernetesObject | undefined {
    const kept: unknown = callMethod(this.#transformFailed, transform, 'apply', whole);
    if (kept === FAILED) return undefined;
    if (isObject(kept)) return kept;
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

  /** Cutting before parsing costs less than parsing what is thrown away. */
  #parse(frame: Frame): unknown {
    const { format, buffer, from, to } = frame;
    const positions = this.#positions;
    if (format === undefined || positions === undefined) return this.#ownCopy(frame.object);
    const bytes = Buffer.allocUnsafe(format.cutLength(from, to, positions));
    const length = format.cut(buffer, from, to, positions, bytes, 0);
    return format.decode(bytes, 0, length);
  }

  /** A source's own object is never changed: not by a transform either. */
  #ownCopy(object: unknown): unknown {
    const copied = this.#options.transform === undefined ? object : structuredClone(object);
    return this.#options.keepManagedFields ? copied : withoutManagedFields(copied);
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

/** Positions by which nothing is cut. */
function keepAll(positions: HeadPositions): HeadPositions {
  return { ...positions, managedFieldsFrom: -1, managedFieldsTo: -1 };
}

const nobody: ObjectIdentity = {
  kind: undefined,
  namespace: undefined,
  name: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

function identityOf(object: unknown): ObjectIdentity {
  if (typeof object !== 'object' || object === null) return nobody;
  const { kind, metadata = {} } = object as KubernetesObject;
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, resourceVersion };
}

/** A promise is no object of a store, and neither is a list. */
function isObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);
}

function withoutManagedFields(object: unknown): unknown {
  const { metadata } = object as KubernetesObject;
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _cut, ...rest } = metadata;
  return { ...(object as KubernetesObject), metadata: rest };
}
