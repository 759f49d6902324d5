import {
  apiVersionOf,
  examineResult,
  thrownReason,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { cloneJson, isJsonObject, jsonEquals } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { jsonCopy } from '../parse/json-copy.ts';
import type { KeptFields } from './kept-fields.ts';
import type { VersionPair } from './version-pair.ts';

/** Converts an object, which it may change, to another version. */
export type ConversionStep = (object: KubernetesObject) => KubernetesObject;

/** The conversions of a version other than the hub: from it to the hub, and from the hub to it. */
export interface ConversionSteps {
  readonly from: ConversionStep;
  readonly to: ConversionStep;
}

/** Converts objects between the versions of a kind by way of the hub. */
export class VersionConverter {
  readonly #hub: ApiResource;
  readonly #steps: ReadonlyMap<string, ConversionSteps>;
  readonly #kept: KeptFields | undefined;

  constructor(hub: ApiResource, steps: ReadonlyMap<string, ConversionSteps>, kept?: KeptFields) {
    this.#hub = hub;
    this.#steps = steps;
    this.#kept = kept;
  }

  /** Returns a copy in the version. Throws `CONVERSION_FAILED`. */
  convert(given: object, version: string): KubernetesObject {
    const original = (given ?? {}) as KubernetesObject;
    const from = this.#versionOf(original);
    this.#requireVersion(original, { from, to: version });
    const { version: hub } = this.#hub;
    const inHub = this.#converted(original, { from, to: hub });
    return this.#converted(inHub, { from: hub, to: version });
  }

  #converted(object: KubernetesObject, versions: VersionPair): KubernetesObject {
    if (versions.from === versions.to) return cloneJson(object);
    try {
      if (this.#kept === undefined) return this.#run(object, versions);
      return this.#kept.convert(object, versions, (each, pair) => this.#run(each, pair));
    } catch (cause) {
      if (cause instanceof SchemaError) throw cause;
      throw this.#failure(object, { ...versions, reason: thrownReason(cause) }, cause);
    }
  }

  #run(object: KubernetesObject, versions: VersionPair): KubernetesObject {
    const { from, to } = versions;
    const step = to === this.#hub.version ? this.#steps.get(from)?.from : this.#steps.get(to)?.to;
    try {
      // Nothing waits for the promise of an async conversion.
      return examineResult(step?.(cloneJson(object)), (result) =>
        this.#completed(checkedResult(result), object, versions),
      );
    } catch (cause) {
      throw this.#failure(object, { from, to, reason: thrownReason(cause) }, cause);
    }
  }

  #completed(
    converted: KubernetesObject,
    original: KubernetesObject,
    { from, to }: VersionPair,
  ): KubernetesObject {
    const { group, kind } = this.#hub;
    const apiVersion = apiVersionOf({ group, version: to });
    // A function may copy the members of its argument.
    const known = [undefined, apiVersion, apiVersionOf({ group, version: from })];
    if (!known.includes(converted.apiVersion)) throw changed('apiVersion');
    if (![undefined, kind].includes(converted.kind)) throw changed('kind');
    const metadata = completedMetadata(original.metadata ?? {}, converted.metadata);
    return { ...converted, apiVersion, kind, metadata };
  }

  #requireVersion(object: KubernetesObject, versions: VersionPair): void {
    const known = [this.#hub.version, ...this.#steps.keys()];
    if (known.includes(versions.to)) return;
    const reason = `unknown version; known are ${known.join(' ')}`;
    throw this.#failure(object, { ...versions, reason });
  }

  #versionOf(object: KubernetesObject): string {
    const { apiVersion: given, kind } = object as { apiVersion?: unknown; kind?: string };
    const apiVersion = typeof given === 'string' ? given : '';
    const { group, version: hub } = this.#hub;
    if (![undefined, this.#hub.kind].includes(kind)) {
      throw this.#failure(object, { from: apiVersion, reason: `the kind is ${String(kind)}` });
    }
    const prefix = `${group}/`;
    const version = apiVersion.slice(prefix.length);
    const known = [hub, ...this.#steps.keys()];
    if (apiVersion.startsWith(prefix) && known.includes(version)) return version;
    const reason = `unknown version; known are ${known.map((each) => prefix + each).join(' ')}`;
    throw this.#failure(object, { from: apiVersion, reason });
  }

  #failure(
    { metadata }: KubernetesObject,
    facts: { readonly from: string; readonly to?: string; readonly reason: string },
    cause?: unknown,
  ): SchemaError {
    const { namespace, name } = metadata ?? {};
    const object = namespace === undefined ? { name } : { namespace, name };
    const { kind } = this.#hub;
    return new SchemaError('CONVERSION_FAILED', { kind, ...object, ...facts }, { cause });
  }
}

type Metadata = NonNullable<KubernetesObject['metadata']>;

/** The server refuses a conversion that changes more of metadata than labels and annotations. */
function completedMetadata(before: Metadata, after: Metadata | undefined): Metadata {
  if (after === undefined) return cloneJson(before);
  if (!isJsonObject(after)) throw changed('metadata');
  const { labels: _, annotations: __, ...kept } = before;
  const { labels, annotations, ...others } = after as Metadata;
  const unchanged: Readonly<Record<string, unknown>> = kept;
  for (const [member, value] of Object.entries(others)) {
    if (!Object.hasOwn(unchanged, member) || !jsonEquals(value, unchanged[member])) {
      throw changed(`metadata.${member}`);
    }
  }
  return {
    ...cloneJson(kept),
    ...(labels && { labels: checkedTexts(labels, 'labels') }),
    ...(annotations && { annotations: checkedTexts(annotations, 'annotations') }),
  };
}

/** Checks that the values are strings. The error of the server would name neither the function nor the object. */
function checkedTexts(
  values: Readonly<Record<string, string>>,
  member: string,
): Record<string, string> {
  if (!isJsonObject(values)) throw new Error(`metadata.${member} must be an object of texts`);
  const wrong = Object.keys(values).find((key) => typeof values[key] !== 'string');
  if (wrong !== undefined) throw new Error(`metadata.${member}[${wrong}] must be a text`);
  return { ...values };
}

function changed(member: string): Error {
  return new Error(`the conversion must not change ${member}`);
}

/** The server stores the result: what JSON lacks, such as a promise, would lose the data of the object. */
function checkedResult(result: unknown): KubernetesObject {
  const { value, causes, restoreNumbers } = jsonCopy(result);
  restoreNumbers();
  if (causes[0] === undefined && isJsonObject(value)) return value;
  const detail = causes[0]?.field ? `: ${causes[0].message}` : '';
  throw new Error(`the conversion must return a plain object, and no promise${detail}`);
}
