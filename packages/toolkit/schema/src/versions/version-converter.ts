import {
  apiVersionOf,
  ignoreRejection,
  thrownReason,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { cloneJson, isJsonObject } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { jsonCopy } from '../parse/json-copy.ts';

type Step = (object: KubernetesObject) => KubernetesObject;

/** The conversions of one version; those of the hub change nothing. */
interface Steps {
  readonly toHub: Step;
  readonly fromHub: Step;
}

function same(object: KubernetesObject): KubernetesObject {
  return object;
}

/** A version other than the hub. */
export interface ConvertedVersion extends Steps {
  readonly kind: { readonly resource: ApiResource };
}

/** Converts objects between the versions of a kind by way of the hub. */
export class VersionConverter {
  readonly #hub: ApiResource;
  readonly #steps: ReadonlyMap<string, Steps>;

  constructor(hub: ApiResource, spokes: readonly ConvertedVersion[]) {
    const ofSpokes = spokes.map((spoke) => [spoke.kind.resource.version, spoke] as const);
    this.#hub = hub;
    this.#steps = new Map<string, Steps>([
      [hub.version, { toHub: same, fromHub: same }],
      ...ofSpokes,
    ]);
  }

  /** Returns a copy in the version. Throws `CONVERSION_FAILED`. */
  convert(given: object, version: string): KubernetesObject {
    const original = given as KubernetesObject;
    const from = this.#versionOf(original);
    if (from === version) return cloneJson(original);
    const inHub = this.#run(original, { from, to: this.#hub.version, version: from }, 'toHub');
    return this.#run(inHub, { from: this.#hub.version, to: version, version }, 'fromHub');
  }

  #run(
    object: KubernetesObject,
    { from, to, version }: { from: string; to: string; version: string },
    direction: keyof Steps,
  ): KubernetesObject {
    const steps = this.#steps.get(version);
    const { name } = object.metadata ?? {};
    const facts = { kind: this.#hub.kind, name, from, to };
    if (steps === undefined) {
      const reason = `unknown version; known are ${[...this.#steps.keys()].join(' ')}`;
      throw new SchemaError('CONVERSION_FAILED', { ...facts, reason });
    }
    try {
      const converted = checkedResult(steps[direction](cloneJson(object)));
      return this.#completed(converted, object, to);
    } catch (cause) {
      throw new SchemaError(
        'CONVERSION_FAILED',
        { ...facts, reason: thrownReason(cause) },
        { cause },
      );
    }
  }

  /** The server refuses a conversion that changes more of metadata than labels and annotations. */
  #completed(
    converted: KubernetesObject,
    { metadata: before = {} }: KubernetesObject,
    version: string,
  ): KubernetesObject {
    const { labels, annotations } = converted.metadata ?? {};
    const { labels: _, annotations: __, ...kept } = before;
    return {
      ...converted,
      apiVersion: apiVersionOf({ group: this.#hub.group, version }),
      kind: this.#hub.kind,
      metadata: {
        ...cloneJson(kept),
        ...(labels && { labels }),
        ...(annotations && { annotations }),
      },
    };
  }

  #versionOf({ apiVersion = '', metadata }: KubernetesObject): string {
    const prefix = `${this.#hub.group}/`;
    const version = apiVersion.slice(prefix.length);
    if (apiVersion.startsWith(prefix) && this.#steps.has(version)) return version;
    const { kind, group } = this.#hub;
    const known = [...this.#steps.keys()].map((each) => `${group}/${each}`);
    throw new SchemaError('CONVERSION_FAILED', {
      kind,
      name: metadata?.name,
      from: apiVersion,
      reason: `unknown version; known are ${known.join(' ')}`,
    });
  }
}

/** The server stores the result: what JSON lacks, such as a promise, would lose the data of the object. */
function checkedResult(result: unknown): KubernetesObject {
  const { value, causes } = jsonCopy(result);
  if (causes[0] === undefined && isJsonObject(value)) return value;
  // Nothing waits for the promise of an async conversion.
  ignoreRejection(result);
  const detail = causes[0]?.field ? `: ${causes[0].message}` : '';
  throw new Error(`the conversion must return a plain object, and no promise${detail}`);
}
